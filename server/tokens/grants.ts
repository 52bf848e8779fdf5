// The token endpoint: a table of grants, and what is done around each of them.
import { rateLimited } from "../../kernel/base/failure.ts";
import type { RequestContext } from "../../kernel/context.ts";
import { json } from "../../kernel/http/output/reply.ts";
import { redeemRefreshToken, type IssuedTokens } from "./families.ts";
import { limits } from "./limits.ts";
import * as queries from "./queries.ts";
import { GrantRefusal, noStore } from "./refusal.ts";
import type { TokenRequest } from "./schema.ts";

/** One way to a token. It refuses with a GrantRefusal. */
export type GrantHandler = (
  context: RequestContext,
  request: TokenRequest,
) => Promise<IssuedTokens>;
export type GrantHandlers = Readonly<Record<string, GrantHandler>>;

/** The grants of this noun; other nouns add theirs where the server is put together. */
export const grants = {
  refresh_token: (context: RequestContext, request: TokenRequest) =>
    redeemRefreshToken(context, {
      secret: requiredParameter(request, "refresh_token"),
      clientId: requiredParameter(request, "client_id"),
      asked: request,
    }),
};

export function requiredParameter(
  request: TokenRequest,
  name: Exclude<keyof TokenRequest, "grant_type">,
) {
  const value = request[name];
  if (value === undefined || value === "")
    throw new GrantRefusal("invalid_request", `${name}: is missing.`);
  return value;
}

export async function answerTokenRequest(
  all: GrantHandlers,
  context: RequestContext,
  request: TokenRequest,
) {
  const { grant_type: type } = request;
  const grant = Object.hasOwn(all, type) ? all[type] : undefined;
  if (grant === undefined)
    throw new GrantRefusal(
      "unsupported_grant_type",
      `grant_type: is none of ${Object.keys(all).join(", ")}.`,
    );
  await expectFewRefusals(context, request.federation_rule_id ?? null);
  try {
    return json(await grant(context, request), noStore);
  } catch (error) {
    if (error instanceof GrantRefusal && counts(error)) await note(context, type, error);
    throw error;
  }
}

/** A poll for a pending grant is no failure; nor is an incomplete request. */
const counts = ({ error }: GrantRefusal) =>
  !["authorization_pending", "slow_down", "invalid_request"].includes(error);

async function note(context: RequestContext, grantType: string, refusal: GrantRefusal) {
  const { facts } = refusal;
  await context.db.tx((tx) =>
    queries.insertRefusal(tx, {
      id: context.ids.next("tref_"),
      at: context.clock.now(),
      address: context.address,
      grantType,
      organizationId: facts.organizationId ?? null,
      ruleId: facts.ruleId ?? null,
      reason: facts.reason ?? refusal.error,
      sentence: (facts.detail ?? refusal.message).slice(0, sentenceCharactersMax),
      subject: facts.subject?.slice(0, sentenceCharactersMax) ?? null,
    }),
  );
}

const sentenceCharactersMax = 500;

/** Rule TOK10. */
async function expectFewRefusals(
  { db, clock, address }: RequestContext,
  ruleId: string | null,
): Promise<void> {
  const { refusalsWindowMs: windowMs } = limits;
  const since = new Date(clock.now().getTime() - windowMs);
  const { all, rule, oldest } = await queries.countRefusals(db, { address, ruleId, since });
  if (all < limits.refusalsPerAddressMax && rule < limits.refusalsPerRuleAndAddressMax) return;
  const freeAtMs = (oldest?.getTime() ?? clock.now().getTime()) + windowMs;
  throw rateLimited(
    "Too many token requests from this address were refused. Wait a minute, and mend what is wrong with them.",
    Math.max(1, (freeAtMs - clock.now().getTime()) / 1000),
  );
}
