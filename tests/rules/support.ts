// What the tests of the rules share: keys, questions to another process, and waiting on a level.
import assert from "node:assert/strict";
import type { ManualClock } from "../../kernel/base/clock.ts";
import type { Answer, Ask, House, Tenant } from "../house.ts";
import { testTimeoutMs } from "../test-timeout.ts";

export const seconds = (count: number) => count * 1000;
export const minutes = (count: number) => seconds(60 * count);
export const hours = (count: number) => minutes(60 * count);

/** Asks again and again until it holds. */
export async function until<T>(
  look: () => Promise<T | undefined | false>,
  what: string,
  ms = testTimeoutMs,
): Promise<T> {
  const deadline = performance.now() + ms;
  for (;;) {
    const seen = await look();
    if (seen !== undefined && seen !== false) return seen;
    assert.ok(performance.now() < deadline, `waited in vain for ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

/** As {@link until}, while time passes: what runs at every period may be under way as the first one ends. */
export const untilInTime = <T>(
  { clock, periodMs }: { clock: ManualClock; periodMs: number },
  look: () => Promise<T | undefined | false>,
  what: string,
): Promise<T> =>
  until(() => {
    clock.advance(periodMs);
    return look();
  }, what);

/** A secret that is another one by its last character. */
export const nearly = (secret: string) => secret.slice(0, -1) + (secret.endsWith("x") ? "y" : "x");

/** What work that waits for nothing took of a core, however many programs want one. */
export function cpuMsOf(work: () => void): number {
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}

export interface MadeKey {
  id: string;
  secret: string;
  name: string;
  kind: string;
  status: string;
  scopes: string[];
  workspace_id: string | null;
  expires_at: string | null;
  last_used_at: string | null;
  partial_key_hint: string;
}

let made = 0;

/** An admin key unless the body says otherwise: those may ask who they are. */
export async function makeKey(
  house: House,
  tenant: Tenant,
  body: Record<string, unknown> = {},
): Promise<MadeKey> {
  const scopes = tenant.organization_type === "enterprise" ? ["read:members"] : undefined;
  const { status, body: key } = await house.ask("POST", "/console/api/keys", {
    cookie: tenant.cookie,
    body: {
      name: `Key ${++made}`,
      kind: "admin",
      ...(scopes && body["kind"] !== "api" && { scopes }),
      ...body,
    },
  });
  assert.equal(status, 200, JSON.stringify(key));
  return key as MadeKey;
}

export const setStatus = (house: House, tenant: Tenant, id: string, status: string) =>
  house.ask("POST", `/console/api/keys/${id}`, { cookie: tenant.cookie, body: { status } });

/** What another process of the same server answers. */
export async function askAt(
  url: string,
  method: string,
  path: string,
  { key, cookie, headers = {}, body }: Ask = {},
): Promise<Pick<Answer, "status" | "body">> {
  const response = await fetch(url + path, {
    method,
    headers: {
      ...(body !== undefined && { "content-type": "application/json" }),
      ...(key !== undefined && { "x-api-key": key }),
      ...(cookie !== undefined && { cookie, origin: url }),
      ...headers,
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  return { status: response.status, body: text === "" ? "" : JSON.parse(text) };
}

export const me = "/v1/organizations/me";

/**
 * No request that began more than a second after `since` may be let in; a credential that is let in before that
 * is asked again.
 */
export async function expectDeathWithinASecond(
  url: string,
  path: string,
  credential: Pick<Ask, "key" | "cookie">,
  since: number,
): Promise<Pick<Answer, "status" | "body">> {
  for (;;) {
    const askedMs = performance.now() - since;
    const answer = await askAt(url, "GET", path, credential);
    if (answer.status === 401) return answer;
    assert.equal(answer.status, 200, JSON.stringify(answer.body));
    assert.ok(askedMs < 1_000, `still let in ${Math.round(askedMs)} ms after it died`);
  }
}

/** How every refusal ends that asks for a second permission, that of groups. */
export const needsGroupsWrite =
  / also needs the permission groups:write: use an admin key with the scope write:rbac_groups beside write:members\.$/;

/** The sentence of an error, which must have that status. */
export function sentenceOf(answer: Pick<Answer, "status" | "body">, status: number): string {
  assert.equal(answer.status, status, JSON.stringify(answer.body));
  return (answer.body as { error: { message: string } }).error.message;
}

/** The one cookie that a reply sets, as a `cookie` header. */
export const cookieFrom = ({ headers }: Answer): string =>
  (headers.getSetCookie()[0] ?? assert.fail("no cookie was set")).split(";")[0] ?? "";

export interface Event {
  id: string;
  action: string;
  actor: { type: string; id: string | null; name: string | null };
  target: { type: string; id: string } | null;
  request_id: string | null;
}

/** The newest events of the tenant, newest first. */
export async function eventsOf(house: House, tenant: Tenant, limit = 100): Promise<Event[]> {
  const { status, body } = await house.ask("GET", `/console/api/audit?limit=${limit}`, {
    cookie: tenant.cookie,
  });
  assert.equal(status, 200, JSON.stringify(body));
  return (body as { data: Event[] }).data;
}

/** A new set-up link of the tenant's owner, as `plinth setup-link` prints it; the token of it. */
export function tokenOf(setupUrl: string): string {
  const { hash, search } = new URL(setupUrl);
  assert.equal(search, "", "the token stands where servers log it");
  return new URLSearchParams(hash.slice(1)).get("token") ?? assert.fail(`no token in ${setupUrl}`);
}
