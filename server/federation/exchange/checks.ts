// The checks that turn an issuer's token into one of this server's: shared by an exchange and the test box.
import type { World } from "../../../kernel/context.ts";
import { hash } from "node:crypto";
import * as workspaces from "../../workspaces/module.ts";
import { candidateKeys, isSignedByOne, parseAssertion, type Assertion } from "./assertion.ts";
import { evaluate } from "../rules/condition.ts";
import { areFresh, withRefreshedKeys } from "../issuers/keys.ts";
import { limits } from "../limits.ts";
import { findMembership } from "../accounts/queries.ts";
import { hasJti, type IssuerRow } from "../issuers/queries.ts";
import type { RuleRow } from "../rules/queries.ts";
import { needsWorkspace } from "../rules/scopes.ts";

/** The exchange under check, and what the checks before have found. */
export interface ExchangeCase {
  world: World;
  rule: RuleRow;
  issuer: IssuerRow;
  text: string;
  serviceAccountId: string | undefined;
  workspaceId: string | undefined;
  assertion?: Assertion;
  /** The signature was good: the token's claims are the issuer's word. */
  isSigned?: boolean;
  /** The workspace of the token; null: above workspaces. */
  tokenWorkspaceId?: string | null;
}

/** Rule FED21: what the client is told, and what administrators see in addition. */
export interface Fault {
  sentence: string;
  detail?: string;
}

export interface Check {
  name: string;
  /** In words, for the test box. */
  title: string;
  /** No later check can run without it. */
  isPrerequisite?: true;
  run(it: ExchangeCase): Fault | undefined | Promise<Fault | undefined>;
}

const fault = (sentence: string, detail?: string): Fault => ({
  sentence,
  ...(detail !== undefined && { detail }),
});

export const claimOf = ({ assertion }: ExchangeCase, name: string): unknown =>
  assertion?.claims[name];
const textOf = (it: ExchangeCase, name: string): string | undefined => {
  const value = claimOf(it, name);
  return typeof value === "string" ? value : undefined;
};
const quoted = (value: unknown) => JSON.stringify(value)?.slice(0, 300) ?? "nothing";

export const checks: readonly Check[] = [
  {
    name: "rule",
    title: "The rule is not archived",
    run: ({ rule }) =>
      rule.archived_at === null ? undefined : fault("The federation rule is archived."),
  },
  {
    name: "issuer",
    title: "The issuer is not archived",
    run: ({ issuer }) =>
      issuer.archived_at === null
        ? undefined
        : fault("The federation issuer of the rule is archived."),
  },
  {
    name: "form",
    title: "It is a signed JWT with an algorithm that is taken",
    isPrerequisite: true,
    run: (it) => {
      const taken = parseAssertion(it.text);
      if (typeof taken === "string") return fault(`The assertion ${taken}.`);
      it.assertion = taken;
      return undefined;
    },
  },
  {
    name: "iss",
    title: "iss is the issuer's URL, to the letter",
    run: (it) =>
      claimOf(it, "iss") === it.issuer.issuer_url
        ? undefined
        : fault(
            "The assertion is of another issuer than the rule's.",
            `iss is ${quoted(claimOf(it, "iss"))}; the issuer's URL is ${quoted(it.issuer.issuer_url)}.`,
          ),
  },
  { name: "time", title: "It is valid now, and not for too long", run: timeFault },
  { name: "signature", title: "A key of the issuer has signed it", run: signatureFault },
  { name: "aud", title: "aud is what the rule expects", run: audienceFault },
  { name: "sub", title: "sub is what the rule expects", run: subjectFault },
  { name: "claims", title: "The claims are what the rule expects", run: claimsFault },
  { name: "condition", title: "The condition holds", run: conditionFault },
  { name: "target", title: "The service account may have such a token", run: targetFault },
  { name: "workspace", title: "There is one workspace for it", run: workspaceFault },
  { name: "jti", title: "It was not exchanged before", run: jtiFault },
];

/** Rule FED15. */
function timeFault(it: ExchangeCase): Fault | undefined {
  const now = it.world.clock.now().getTime() / 1000;
  const leeway = limits.clockLeewaySeconds;
  const [iat, exp, nbf] = ["iat", "exp", "nbf"].map((name) => claimOf(it, name));
  if (!isTime(iat) || !isTime(exp)) return fault("The assertion has no iat or no exp.");
  if (nbf !== undefined && !isTime(nbf)) return fault("The assertion has an nbf that is no time.");
  const spread = exp - iat;
  const most = it.issuer.max_jwt_lifetime_seconds;
  if (spread <= 0 || spread > most)
    return fault(
      "The assertion is valid for longer than its issuer's may be, or for no time at all.",
      `From iat to exp are ${spread} seconds; max_jwt_lifetime_seconds of the issuer is ${most}.`,
    );
  if (exp + leeway <= now)
    return fault("The assertion has expired.", `exp was ${Math.round(now - exp)} seconds ago.`);
  if (iat > now + leeway || (isTime(nbf) && nbf > now + leeway))
    return fault(
      "The assertion is not valid yet.",
      `iat or nbf lies ${Math.round(Math.max(iat, isTime(nbf) ? nbf : iat) - now)} seconds ahead: compare the clocks.`,
    );
  return undefined;
}

const isTime = (value: unknown): value is number =>
  typeof value === "number" && Number.isFinite(value) && value >= 0 && value < 1e11;

/** Rules FED5 and FED14. */
async function signatureFault(it: ExchangeCase): Promise<Fault | undefined> {
  const { assertion, world } = it;
  if (assertion === undefined) return fault("There is no assertion.");
  const now = world.clock.now();
  const find = (issuer: IssuerRow) =>
    areFresh(issuer, now) ? candidateKeys(assertion, issuer.keys ?? []) : [];
  let keys = find(it.issuer);
  if (keys.length === 0 && it.issuer.jwks.type !== "inline") {
    it.issuer = await withRefreshedKeys(world, it.issuer, (issuer) => find(issuer).length > 0);
    keys = find(it.issuer);
  }
  if (keys.length === 0) return fault("No key of the issuer fits the assertion.", keysDetail(it));
  if (!(await isSignedByOne(assertion, keys)))
    return fault("The assertion was not signed by a key of the issuer.");
  it.isSigned = true;
  return undefined;
}

function keysDetail({ issuer, assertion }: ExchangeCase): string {
  const { keys, last_failure, polling_disabled_at } = issuer;
  const kids = (keys ?? []).map((jwk) => (typeof jwk["kid"] === "string" ? jwk["kid"] : "no kid"));
  return [
    `The token's kid is ${quoted(assertion?.kid)}, its alg ${quoted(assertion?.alg)}.`,
    keys === null
      ? "No keys of the issuer have been fetched."
      : `Known keys: ${kids.slice(0, 10).join(", ").slice(0, 300)}.`,
    ...(last_failure === null ? [] : [`The last fetch failed: ${last_failure}`]),
    ...(polling_disabled_at === null ? [] : ["Polling has stopped; start it again at the issuer."]),
  ].join(" ");
}

/** Rule FED16. */
function audienceFault(it: ExchangeCase): Fault | undefined {
  const wanted = it.rule.match.audience ?? it.world.publicUrl;
  const aud = claimOf(it, "aud");
  if (aud === wanted || (Array.isArray(aud) && aud.includes(wanted))) return undefined;
  return fault(
    "The assertion is for another audience.",
    `aud is ${quoted(aud)}; the rule expects ${quoted(wanted)}.`,
  );
}

const unmatched = "The assertion does not match the federation rule.";

/** Rule FED8. */
function subjectFault(it: ExchangeCase): Fault | undefined {
  const wanted = it.rule.match.subject_prefix;
  if (!wanted) return undefined;
  const sub = textOf(it, "sub");
  const fits =
    sub !== undefined &&
    (wanted.endsWith("*") ? sub.startsWith(wanted.slice(0, -1)) : sub === wanted);
  return fits
    ? undefined
    : fault(unmatched, `sub is ${quoted(claimOf(it, "sub"))}; the rule expects ${quoted(wanted)}.`);
}

function claimsFault(it: ExchangeCase): Fault | undefined {
  const wanted = Object.entries(it.rule.match.claims ?? {});
  const other = wanted.find(
    ([name, value]) =>
      it.assertion === undefined ||
      !Object.hasOwn(it.assertion.claims, name) ||
      it.assertion.claims[name] !== value,
  );
  if (other === undefined) return undefined;
  const [name, value] = other;
  return fault(
    unmatched,
    `${name} is ${quoted(claimOf(it, name))}; the rule expects ${quoted(value)}.`,
  );
}

/** Rule FED9. */
function conditionFault({ rule, assertion }: ExchangeCase): Fault | undefined {
  const { condition } = rule.match;
  if (!condition) return undefined;
  const verdict = evaluate(condition, assertion?.claims ?? {});
  if ("failed" in verdict)
    return fault(unmatched, `The condition cannot be worked out: ${verdict.failed}.`);
  return verdict.holds ? undefined : fault(unmatched, "The condition gives false.");
}

/** Rule FED20. */
function targetFault({ rule, serviceAccountId }: ExchangeCase): Fault | undefined {
  if (serviceAccountId !== undefined && serviceAccountId !== rule.service_account_id)
    return fault("service_account_id is not the one that the federation rule targets.");
  if (rule.account_archived) return fault("The service account of the rule is archived.");
  if (rule.scopes.includes("org:admin") && rule.account_role !== "admin")
    return fault(
      "The federation rule gives org:admin, and its service account is no administrator.",
    );
  return undefined;
}

/** Rule FED18. */
async function workspaceFault(it: ExchangeCase): Promise<Fault | undefined> {
  const { rule, world, workspaceId: requested } = it;
  const { organization_id: organizationId } = rule;
  if (!needsWorkspace(rule.scopes)) {
    it.tokenWorkspaceId = null;
    return requested === undefined
      ? undefined
      : fault("workspace_id: the rule's tokens stand above workspaces; leave it out.");
  }
  const home = await workspaces.findWorkspace(world.db, organizationId, null);
  const chosen = requested === "default" ? home?.id : (requested ?? ownChoice(rule, home?.id));
  if (chosen === undefined)
    return fault(
      "workspace_id: the federation rule is enabled for several workspaces; name one. The official client takes it from ANTHROPIC_WORKSPACE_ID.",
    );
  if (!rule.applies_to_all_workspaces && !rule.workspace_ids.includes(chosen))
    return fault("workspace_id: the federation rule is not enabled for this workspace.");
  const workspace = await workspaces.findWorkspace(world.db, organizationId, chosen);
  if (workspace === undefined || workspace.archived_at !== null)
    return fault("workspace_id: there is no such workspace, or it is archived.");
  const isMember =
    workspace.is_default ||
    (await findMembership(world.db, organizationId, rule.service_account_id, chosen));
  if (!isMember)
    return fault(
      "The service account is no member of the workspace.",
      `Add ${rule.service_account_name} to ${workspace.name}.`,
    );
  it.tokenWorkspaceId = chosen;
  return undefined;
}

/** The workspace that follows from the rule alone: none where it is enabled for several by name. */
function ownChoice(
  { applies_to_all_workspaces, workspace_ids }: RuleRow,
  home: string | undefined,
): string | undefined {
  if (applies_to_all_workspaces) return home;
  const [only, other] = workspace_ids;
  return other === undefined ? only : undefined;
}

/** Rule FED17, without using the jti up: the exchange checks it again when it does. */
async function jtiFault(it: ExchangeCase): Promise<Fault | undefined> {
  const jti = claimOf(it, "jti");
  if (jti === undefined) return undefined;
  if (typeof jti !== "string" || jti === "" || jti.length > limits.jtiCharactersMax)
    return fault(
      `The assertion has a jti that is no text of 1 to ${limits.jtiCharactersMax} characters.`,
    );
  const used =
    it.issuer.check_jti && (await hasJti(it.world.db, it.issuer.id, hash("sha256", jti, "buffer")));
  return used ? usedBefore : undefined;
}

export const usedBefore = fault(
  "The assertion was exchanged before, and its issuer's are good once.",
  "Its jti was used. Fetch a new token for each exchange, or set check_jti of the issuer to false.",
);
