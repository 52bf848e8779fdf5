// What the tests of tokens share: sign-ins of programs, service accounts with tokens, and the endpoint.
import assert from "node:assert/strict";
import type { RequestContext } from "../../kernel/context.ts";
import { enqueue } from "../../kernel/jobs/jobs.ts";
import type { Schedule } from "../../kernel/jobs/schedules/schedules.ts";
import { sql } from "../../kernel/sql/statement.ts";
import { operator } from "../../server/audit/module.ts";
import { createUser, type Role } from "../../server/identity/module.ts";
import { issueToken, openFamily } from "../../server/tokens/module.ts";
import type { Answer, House, Tenant } from "../house.ts";
import { until } from "./support.ts";

let made = 0;

export const personIn = (
  { world }: House,
  { organization_id }: Pick<Tenant, "organization_id">,
  role: Role,
) =>
  world.db.tx((tx) =>
    createUser(tx, world, () => operator, organization_id, {
      email: `program-${++made}@tokens.example`,
      name: `Person ${made}`,
      role,
      passwordHash: null,
    }),
  );

/** Whoever asks, where no request is at hand. */
export const requestOf = (house: House): RequestContext => ({
  ...house.world,
  requestId: "req_test",
  notes: {},
  dialect: "2026-10-21",
  betas: new Set(),
  address: "127.0.0.1",
  userAgent: "a test",
  headers: {},
  signal: new AbortController().signal,
});

export interface ProgramOptions {
  userId: string;
  scopes?: readonly string[];
  workspaceId?: string | null;
}

export const clientId = "plinth-cli";

/** A program that signed in in a person's name. */
export const programIn = (
  house: House,
  { organization_id: organizationId }: Pick<Tenant, "organization_id">,
  { userId, scopes = ["org:admin"], workspaceId = null }: ProgramOptions,
) =>
  house.world.db.tx((tx) =>
    openFamily(tx, requestOf(house), { organizationId, userId, clientId, scopes, workspaceId }),
  );

/** A service account, without asking any route. */
export async function accountIn(
  { world }: House,
  { organization_id }: Pick<Tenant, "organization_id">,
  role: "developer" | "admin" = "developer",
): Promise<string> {
  const id = world.ids.next("svac_");
  const now = world.clock.now();
  await world.db.tx((tx) =>
    tx.query(sql`
      insert into service_accounts
        (id, organization_id, name, organization_role, created_at, updated_at)
      values (${id}, ${organization_id}, ${`worker-${++made}`}, ${role}, ${now}, ${now})`),
  );
  return id;
}

export const tokenOfAccount = (
  { world }: House,
  { organization_id: organizationId }: Pick<Tenant, "organization_id">,
  serviceAccountId: string,
  scopes: readonly string[],
  workspaceId: string | null = null,
) =>
  world.db.tx((tx) =>
    issueToken(tx, world, {
      organizationId,
      for: { serviceAccountId },
      scopes,
      workspaceId,
      lifetimeMs: 3_600_000,
    }),
  );

export const askToken = (house: House, body: unknown): Promise<Answer> =>
  house.ask("POST", "/v1/oauth/token", { body });

export const refresh = (house: House, refresh_token: string, client_id = clientId) =>
  askToken(house, { grant_type: "refresh_token", refresh_token, client_id });

/** The description of a refusal, which must have that status and code. */
export function refusalOf({ status, body }: Answer, wanted: number, error: string): string {
  assert.deepEqual([status, body.error], [wanted, error], JSON.stringify(body));
  assert.deepEqual(Object.keys(body as object).sort(), ["error", "error_description"]);
  return body.error_description as string;
}

export const message = {
  model: "sim-small",
  max_tokens: 16,
  messages: [{ role: "user", content: "Hello" }],
};

/** The sweep, as its schedule has it. */
export async function sweep({ world }: House, [schedule]: readonly Schedule[]): Promise<void> {
  assert.ok(schedule);
  const job = schedule.job(world.clock.now());
  await world.db.tx((tx) => enqueue(tx, world, job));
  await until(async () => {
    const [row] = await world.db.query<{ jobs: number }>(
      sql`select count(*)::int as jobs from jobs where kind = ${job.kind}`,
    );
    return row?.jobs === 0;
  }, "the sweep");
}
