// The grant urn:ietf:params:oauth:grant-type:jwt-bearer: exchanges a token of a foreign issuer for one of this server.
import { hash } from "node:crypto";
import type { RequestContext } from "../../../kernel/context.ts";
import * as audit from "../../audit/module.ts";
import {
  GrantRefusal,
  type RefusalFacts,
  issueToken,
  requiredParameter,
  type IssuedTokens,
  type GrantHandlers,
} from "../../tokens/module.ts";
import {
  checks,
  claimOf,
  usedBefore,
  type ExchangeCase,
  type Check,
  type Fault,
} from "./checks.ts";
import { limits } from "../limits.ts";
import { findIssuer, insertJti } from "../issuers/queries.ts";
import { findRule, lockLiveRuleAndAccount, type RuleRow } from "../rules/queries.ts";
import type { Tx } from "../../../kernel/sql/database.ts";

export const grants: GrantHandlers = {
  "urn:ietf:params:oauth:grant-type:jwt-bearer": (context, request) =>
    exchange(context, {
      assertion: requiredParameter(request, "assertion"),
      ruleId: requiredParameter(request, "federation_rule_id"),
      organizationId: requiredParameter(request, "organization_id"),
      serviceAccountId: request.service_account_id || undefined,
      workspaceId: request.workspace_id || undefined,
    }),
};

interface Exchange {
  assertion: string;
  ruleId: string;
  organizationId: string;
  serviceAccountId: string | undefined;
  workspaceId: string | undefined;
}

async function exchange(context: RequestContext, input: Exchange): Promise<IssuedTokens> {
  const { organizationId, ruleId, assertion: text } = input;
  if (text.length > limits.assertionCharactersMax)
    throw new GrantRefusal(
      "invalid_request",
      `assertion: has more than ${limits.assertionCharactersMax} characters.`,
    );
  const rule = await findRule(context.db, organizationId, ruleId);
  const issuer = rule && (await findIssuer(context.db, organizationId, rule.issuer_id));
  if (rule === undefined || issuer === undefined)
    throw refusal("federation_rule", {
      sentence: "There is no such federation rule in this organization.",
    });
  const { serviceAccountId, workspaceId } = input;
  const it: ExchangeCase = { world: context, rule, issuer, text, serviceAccountId, workspaceId };
  for (const check of checks) {
    const fault = await check.run(it);
    if (fault !== undefined) throw refusal(check.name, fault, it);
  }
  const granted = await context.db.tx((tx) => mint(tx, context, it));
  if ("sentence" in granted) throw refusal("jti", granted, it);
  return granted;
}

/** Counted and shown to administrators; 401, which the official client answers with advice. */
const refusal = (reason: Check["name"], { sentence, detail }: Fault, it?: ExchangeCase) =>
  new GrantRefusal("invalid_grant", sentence, {
    status: 401,
    reason,
    detail: detail === undefined ? sentence : `${sentence} ${detail}`,
    ...(it && ofRule(it.rule)),
    subject: it?.isSigned ? subjectOf(it) : null,
  });

const ofRule = (rule: RuleRow): RefusalFacts => ({
  organizationId: rule.organization_id,
  ruleId: rule.id,
  whose: {
    organizationId: rule.organization_id,
    kind: "service_account",
    credentialId: rule.service_account_id,
    name: `${rule.service_account_name}, by the federation rule ${rule.name}`,
  },
});

const subjectOf = (it: ExchangeCase): string | null => {
  const sub = claimOf(it, "sub");
  return typeof sub === "string" ? sub.slice(0, limits.claimCharactersMax) : null;
};

/** All or nothing: the transaction that makes the token uses up the jti. */
async function mint(
  tx: Tx,
  context: RequestContext,
  it: ExchangeCase,
): Promise<IssuedTokens | Fault> {
  const { rule, issuer } = it;
  const { organization_id: organizationId, service_account_id: serviceAccountId } = rule;
  const role = await lockLiveRuleAndAccount(tx, organizationId, rule.id, serviceAccountId);
  if (role === undefined || (rule.scopes.includes("org:admin") && role !== "admin"))
    return { sentence: "The federation rule has changed in this moment. Try again." };
  if (!(await useUp(tx, it))) return usedBefore;
  const lifetimeSeconds = lifetimeOf(it);
  const token = await issueToken(tx, context, {
    organizationId,
    for: { serviceAccountId },
    scopes: rule.scopes,
    workspaceId: it.tokenWorkspaceId ?? null,
    lifetimeMs: lifetimeSeconds * 1000,
    ruleId: rule.id,
  });
  const actor: audit.AuditActor = {
    type: "service_account",
    id: serviceAccountId,
    name: rule.service_account_name,
    address: context.address,
    requestId: context.requestId,
  };
  await audit.record(tx, context, actor, {
    organizationId,
    action: "federation_rule.exchanged",
    target: { type: "federation_rule", id: rule.id },
    details: {
      name: rule.name,
      issuer: issuer.name,
      subject: subjectOf(it),
      token_id: token.id,
      workspace_id: it.tokenWorkspaceId ?? null,
      scope: rule.scopes.join(" "),
    },
  });
  return {
    access_token: token.secret,
    token_type: "Bearer",
    expires_in: lifetimeSeconds,
    scope: rule.scopes.join(" "),
  };
}

/** Rule FED17: kept for as long as the assertion would be accepted. */
async function useUp(tx: Tx, it: ExchangeCase): Promise<boolean> {
  const jti = claimOf(it, "jti");
  if (typeof jti !== "string" || !it.issuer.check_jti) return true;
  const expiresAt = new Date((Number(claimOf(it, "exp")) + limits.clockLeewaySeconds) * 1000);
  return insertJti(tx, it.issuer.id, { sha256: hash("sha256", jti, "buffer"), expiresAt });
}

/** Rule FED19. */
export function lifetimeOf({ rule, world, ...it }: ExchangeCase): number {
  const exp = Number(it.assertion?.claims["exp"]);
  const left = exp - world.clock.now().getTime() / 1000;
  const most = Math.min(rule.token_lifetime_seconds, Math.floor(2 * left));
  return Math.max(limits.tokenLifetimeSecondsMin, most);
}
