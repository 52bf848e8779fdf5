// State of a sign-in at the provider: what the browser carries meanwhile, encrypted, and what must match on its return.
import { parseExactly } from "../../../kernel/base/exact-json.ts";
import type { RequestContext, World } from "../../../kernel/context.ts";
import type { AuthorizationAttempt } from "./provider.ts";
import { limits } from "../limits.ts";

const cookieName = "__Host-plinth-sso";
const purpose = "single sign-on under way";

export interface Flow extends AuthorizationAttempt {
  organizationId: string;
  /** The version of the settings under which it began. */
  version: string;
  expires: number;
  next: string;
  /** Null for a sign-in; else the person who tests the connection. */
  tester: { userId: string; signInId: string } | null;
}

/** RFC 9700, 4.4.2.2: a redirect address for each issuer, so that none can be taken for another. */
export const redirectUriOf = ({ publicUrl }: Pick<World, "publicUrl">, organizationId: string) =>
  `${publicUrl}/sign-in/callback/${encodeURIComponent(organizationId)}`;

/** An encrypted secret opens for its organization only. */
export const secretContext = (organizationId: string) => `single sign-on of ${organizationId}`;

export const signInUrlOf = ({ publicUrl }: Pick<World, "publicUrl">, organizationId: string) =>
  `${publicUrl}/sign-in?organization_id=${encodeURIComponent(organizationId)}`;

export function newFlow(
  { random, clock, publicUrl }: RequestContext,
  connection: { organization_id: string; version: string },
  facts: Pick<Flow, "next" | "tester">,
): Flow {
  const token = (bytes: number) => random.bytes(bytes).toString("base64url");
  const { organization_id: organizationId, version } = connection;
  return {
    ...facts,
    organizationId,
    version,
    expires: clock.now().getTime() + limits.signOnFlowMs,
    redirectUri: redirectUriOf({ publicUrl }, organizationId),
    state: token(24),
    nonce: token(24),
    verifier: token(48),
  };
}

/** Rule SSO4: only the browser that left may return. The provider's redirect is a navigation: Lax lets it through. */
export const flowCookie = ({ secrets }: Pick<World, "secrets">, flow: Flow) =>
  cookie(secrets.encrypt(JSON.stringify(flow), purpose), limits.signOnFlowMs / 1000);

export const noFlowCookie = () => cookie("", 0);

const cookie = (value: string, seconds: number) =>
  `${cookieName}=${value}; Path=/; HttpOnly; Secure; SameSite=Lax; Max-Age=${seconds}`;

/** Undefined without one, and for one that has expired or was not made by this server. */
export function readFlow({ secrets, clock, headers }: RequestContext): Flow | undefined {
  const encrypted = headers.cookie
    ?.split(";")
    .map((part) => part.trim())
    .find((part) => part.startsWith(`${cookieName}=`))
    ?.slice(cookieName.length + 1);
  if (encrypted === undefined || encrypted === "") return undefined;
  try {
    const flow = parseExactly(secrets.decrypt(encrypted, purpose).toString("utf8")) as Flow;
    return flow.expires > clock.now().getTime() ? flow : undefined;
  } catch {
    // Bytes of another origin: as good as none.
    return undefined;
  }
}

/** Only to the console, and to the pages where people grant access. */
export function cleanNext(next: string | undefined): string {
  const here = "http://here";
  if (next === undefined || !URL.canParse(next, here)) return "/console/";
  const { origin, pathname, search, hash } = new URL(next, here);
  const isOurs =
    origin === here && /^\/(console\/|device$|authorize$|mcp-connected$)/.test(pathname);
  return isOurs ? pathname + search + hash : "/console/";
}
