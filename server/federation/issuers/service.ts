// Issuers: servers whose signed tokens an organization accepts.
import { X509Certificate } from "node:crypto";
import { invalid, notFound } from "../../../kernel/base/failure.ts";
import type { Context, World } from "../../../kernel/context.ts";
import { outsideProblem } from "../../../kernel/http/outside/fetch.ts";
import { makeCursors, pageSize, toCursorPage } from "../../../kernel/http/pages.ts";
import type { Tx } from "../../../kernel/sql/database.ts";
import {
  actingId,
  toChangeStamps,
  expectConsole,
  expectBelowLimit,
  archivedFailure,
  nameTakenFailure,
  auditRecorderFor,
} from "../common.ts";
import { expectInlineKeys } from "./key-set.ts";
import { limits } from "../limits.ts";
import * as queries from "./queries.ts";
import { workspaceScopesAlone } from "../rules/scopes.ts";
import { constrainsTenant } from "./shared-issuers.ts";
import type { ArchivedQuery } from "../accounts/schema.ts";
import type { CreateIssuer, Issuer, KeySource, Match, UpdateIssuer } from "../schema.ts";

const noun = "federation issuer";

export async function createIssuer(context: Context, input: CreateIssuer): Promise<Issuer> {
  const { organizationId } = context.who;
  const { name, issuer_url: issuerUrl, jwks = { type: "discovery" } } = input;
  expectKeySource(context, issuerUrl, jwks);
  return context.db.tx(async (tx) => {
    expectBelowLimit(
      noun,
      await queries.countIssuers(tx, organizationId),
      limits.issuersPerOrganizationMax,
    );
    const id = context.ids.next("fdis_");
    const at = context.clock.now();
    const inserted = await queries.insertIssuer(tx, organizationId, {
      id,
      name,
      issuerUrl,
      jwks,
      checkJti: input.check_jti ?? true,
      maxLifetime: input.max_jwt_lifetime_seconds ?? limits.jwtLifetimeSeconds,
      ...sourceOf(jwks, at),
      at,
      by: actingId(context),
    });
    if (!inserted) throw nameTakenFailure(noun, name);
    await recordIssuerEvent(tx, context, "created", id, {
      name,
      issuer_url: issuerUrl,
      keys_from: jwks.type,
    });
    return toIssuer(await issuerOr404(tx, organizationId, id));
  });
}

const sourceOf = (jwks: KeySource, at: Date) => ({
  keys: jwks.type === "inline" ? jwks.keys : null,
  nextPollAt: jwks.type === "inline" ? null : at,
});

/** Rules FED2 and FED3: errors that are known before the issuer is asked. */
function expectKeySource(world: World, issuerUrl: string, jwks: KeySource): void {
  if (jwks.type === "inline") return expectInlineKeys(jwks.keys);
  const [field, url] =
    jwks.type === "explicit_url"
      ? ["jwks.url", jwks.url]
      : jwks.discovery_base
        ? ["jwks.discovery_base", jwks.discovery_base]
        : ["issuer_url", issuerUrl];
  const problem = outsideProblem(world, url);
  if (problem !== undefined) throw invalid(`${field}: ${problem.message}`);
  if (jwks.ca_cert_pem) expectCertificate(jwks.ca_cert_pem);
}

function expectCertificate(pem: string): void {
  try {
    void new X509Certificate(pem);
  } catch {
    throw invalid("jwks.ca_cert_pem: is no certificate in PEM (-----BEGIN CERTIFICATE-----).");
  }
}

const recordIssuerEvent = auditRecorderFor("federation_issuer");

export async function updateIssuer(
  context: Context,
  id: string,
  change: UpdateIssuer,
): Promise<Issuer> {
  const { organizationId } = context.who;
  if (change.jwks_polling_disabled === true)
    throw invalid("jwks_polling_disabled: only false is taken; polling stops by itself.");
  return context.db.tx(async (tx) => {
    const row = await lockLive(tx, organizationId, id);
    await expectMayChange(tx, context, row);
    const next = changed(row, change, context.clock.now());
    if (next === undefined) return toIssuer(row);
    expectKeySource(context, next.issuer_url, next.jwks);
    await expectTenants(tx, organizationId, id, next.issuer_url);
    const named = { id, name: next.name };
    if (await queries.isIssuerNameTaken(tx, organizationId, named))
      throw nameTakenFailure(noun, next.name);
    const at = context.clock.now();
    await queries.updateIssuer(tx, organizationId, id, { ...next, at, by: actingId(context) });
    await recordIssuerEvent(tx, context, "updated", id, {
      name: next.name,
      issuer_url: next.issuer_url,
      fields: Object.keys(change),
    });
    return toIssuer(await issuerOr404(tx, organizationId, id));
  });
}

/** Undefined where nothing changes. New keys are fetched at once where their source changes. */
function changed(
  row: queries.IssuerRow,
  change: UpdateIssuer,
  now: Date,
): queries.IssuerChange | undefined {
  const next = {
    ...row,
    name: change.name ?? row.name,
    issuer_url: change.issuer_url ?? row.issuer_url,
    jwks: change.jwks ?? row.jwks,
    check_jti: change.check_jti ?? row.check_jti,
    max_jwt_lifetime_seconds: change.max_jwt_lifetime_seconds ?? row.max_jwt_lifetime_seconds,
  };
  const sourceMoved =
    JSON.stringify([next.jwks, next.issuer_url]) !== JSON.stringify([row.jwks, row.issuer_url]);
  const again = change.jwks_polling_disabled === false && row.polling_disabled_at !== null;
  if (!sourceMoved && !again) return isSame(row, next) ? undefined : next;
  const { keys, nextPollAt } = sourceOf(next.jwks, now);
  return {
    ...next,
    keys: sourceMoved ? keys : row.keys,
    fetched_at: sourceMoved ? null : row.fetched_at,
    asked_at: null,
    consecutive_failures: 0,
    last_failure: null,
    next_poll_at: nextPollAt,
    polling_disabled_at: null,
    source_version: row.source_version + 1,
  };
}

const isSame = (a: queries.IssuerRow, b: queries.IssuerRow) =>
  a.name === b.name &&
  a.check_jti === b.check_jti &&
  a.max_jwt_lifetime_seconds === b.max_jwt_lifetime_seconds;

/** Rule FED11: control over an issuer's keys is control over every account that its tokens may name. */
async function expectMayChange(
  tx: Tx,
  context: Context,
  { id }: Pick<queries.IssuerRow, "id">,
): Promise<void> {
  const rules = await queries.listLiveRules(tx, context.who.organizationId, id);
  const strong = rules.find(({ scopes }) => !workspaceScopesAlone(scopes));
  if (strong !== undefined)
    expectConsole(context, `What the rule ${strong.name} with other scopes depends on`);
}

async function expectTenants(
  tx: Tx,
  organizationId: string,
  id: string,
  issuerUrl: string,
): Promise<void> {
  const rules = await queries.listLiveRules(tx, organizationId, id);
  const loose = rules.find(({ match }) => !constrainsTenant(issuerUrl, match as Match));
  if (loose !== undefined)
    throw invalid(
      `issuer_url: this issuer signs tokens for everybody, and the rule ${loose.name} does not say whose it means. Change that rule first.`,
    );
}

/** Rule FED6. */
export async function archiveIssuer(context: Context, id: string): Promise<Issuer> {
  const { organizationId } = context.who;
  return context.db.tx(async (tx) => {
    const row = await queries.lockIssuer(tx, organizationId, id);
    if (row === undefined) throw notFound(noun, id);
    if (row.archived_at !== null) return toIssuer(row);
    const [rule] = await queries.listLiveRules(tx, organizationId, id);
    if (rule !== undefined)
      throw invalid(
        `The federation rule ${rule.name} names the issuer ${row.name}: archive that rule first.`,
      );
    const at = context.clock.now();
    await queries.archiveIssuer(tx, organizationId, id, { at, by: actingId(context) });
    await recordIssuerEvent(tx, context, "archived", id, { name: row.name });
    return toIssuer(await issuerOr404(tx, organizationId, id));
  });
}

export async function retrieveIssuer({ db, who }: Context, id: string): Promise<Issuer> {
  return toIssuer(await issuerOr404(db, who.organizationId, id));
}

export async function listIssuers({ db, secrets, who }: Context, query: ArchivedQuery) {
  const cursors = makeCursors(secrets);
  const { organizationId } = who;
  const after = cursors.read("federation_issuers", organizationId, query.page) as
    | string
    | undefined;
  const size = pageSize(query.limit, { itemsMax: 1000 });
  const rows = await queries.listIssuers(db, organizationId, {
    after: after ?? null,
    withArchived: query.include_archived ?? false,
    rows: size + 1,
  });
  return toCursorPage(rows.map(toIssuer), size, (last) =>
    cursors.write("federation_issuers", organizationId, last.id),
  );
}

async function issuerOr404(
  from: Parameters<typeof queries.findIssuer>[0],
  organizationId: string,
  id: string,
): Promise<queries.IssuerRow> {
  const row = await queries.findIssuer(from, organizationId, id);
  if (row === undefined) throw notFound(noun, id);
  return row;
}

async function lockLive(tx: Tx, organizationId: string, id: string): Promise<queries.IssuerRow> {
  const row = await queries.lockIssuer(tx, organizationId, id);
  if (row === undefined) throw notFound(noun, id);
  if (row.archived_at !== null) throw archivedFailure(noun, id);
  return row;
}

const shownSource = (jwks: KeySource): Issuer["jwks"] => {
  if (jwks.type === "inline") return jwks;
  const ca_cert_pem = jwks.ca_cert_pem ?? null;
  return jwks.type === "discovery"
    ? { type: "discovery", discovery_base: jwks.discovery_base ?? null, ca_cert_pem }
    : { type: "explicit_url", url: jwks.url, ca_cert_pem };
};

const toIssuer = (row: queries.IssuerRow): Issuer => ({
  id: row.id,
  type: "federation_issuer",
  name: row.name,
  issuer_url: row.issuer_url,
  jwks: shownSource(row.jwks),
  check_jti: row.check_jti,
  max_jwt_lifetime_seconds: row.max_jwt_lifetime_seconds,
  jwks_polling_disabled_at: row.polling_disabled_at?.toISOString() ?? null,
  poll_status:
    row.jwks.type === "inline"
      ? null
      : {
          consecutive_failures: row.consecutive_failures,
          last_fetched_at: row.fetched_at?.toISOString() ?? null,
          next_poll_at: row.next_poll_at?.toISOString() ?? null,
          last_failure: row.last_failure,
        },
  ...toChangeStamps(row),
});
