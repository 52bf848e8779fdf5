// Service accounts: workloads with a name of their own.
import { forbidden, invalid, notFound } from "../../../kernel/base/failure.ts";
import type { Context } from "../../../kernel/context.ts";
import { makeCursors, pageSize, toCursorPage } from "../../../kernel/http/pages.ts";
import type { Tx } from "../../../kernel/sql/database.ts";
import { verdictsOf } from "../../keys/module.ts";
import { endTokensOfAccount } from "../../tokens/module.ts";
import {
  actingId,
  toChangeStamps,
  cleanDescription,
  expectBelowLimit,
  archivedFailure,
  isInteractive,
  nameTakenFailure,
  auditRecorderFor,
} from "../common.ts";
import { limits } from "../limits.ts";
import * as queries from "./queries.ts";
import type { ArchivedQuery, CreateAccount, ServiceAccount, UpdateAccount } from "./schema.ts";

const noun = "service account";

export async function createAccount(
  context: Context,
  input: CreateAccount,
): Promise<ServiceAccount> {
  const { organizationId } = context.who;
  const { name, organization_role = "developer" } = input;
  expectMayGive(context, organization_role);
  return context.db.tx(async (tx) => {
    expectBelowLimit(
      noun,
      await queries.countAccounts(tx, organizationId),
      limits.accountsPerOrganizationMax,
    );
    const id = context.ids.next("svac_");
    const description = cleanDescription(input.description);
    const facts = { id, name, description, organization_role };
    const at = context.clock.now();
    if (!(await queries.insertAccount(tx, organizationId, { ...facts, at, by: actingId(context) })))
      throw nameTakenFailure(noun, name);
    await recordAccountEvent(tx, context, "created", id, { name, organization_role });
    return toAccount(await accountOr404(tx, organizationId, id));
  });
}

/** Rule SVA2. */
function expectMayGive(context: Context, role: string | null | undefined): void {
  if (role === "admin" && !isInteractive(context))
    throw forbidden(
      "organization_role: a service account does not make administrators. A person does, in the console or with a token of their own.",
    );
}

const recordAccountEvent = auditRecorderFor("service_account");

export async function updateAccount(
  context: Context,
  id: string,
  change: UpdateAccount,
): Promise<ServiceAccount> {
  const { organizationId } = context.who;
  expectMayGive(context, change.organization_role);
  return context.db.tx(async (tx) => {
    const row = await lockLiveAccount(tx, organizationId, id);
    const { description } = change;
    const next = {
      // As the official client has it: an empty text clears the field, null is never set.
      description:
        description === undefined ? row.description : (cleanDescription(description) ?? ""),
      organization_role: change.organization_role ?? row.organization_role,
    };
    if (next.description === row.description && next.organization_role === row.organization_role)
      return toAccount(row);
    const at = context.clock.now();
    await queries.updateAccount(tx, organizationId, id, { ...next, at, by: actingId(context) });
    // The rights of its tokens follow the role.
    if (next.organization_role !== row.organization_role) await verdictsOf(context).revoke(tx);
    await recordAccountEvent(tx, context, "updated", id, {
      name: row.name,
      ...next,
      organization_role_before: row.organization_role,
    });
    return toAccount(await accountOr404(tx, organizationId, id));
  });
}

/** Rule SVA3. */
export async function archiveAccount(context: Context, id: string): Promise<ServiceAccount> {
  const { organizationId } = context.who;
  return context.db.tx(async (tx) => {
    const row = await queries.lockAccount(tx, organizationId, id);
    if (row === undefined) throw notFound(noun, id);
    if (row.archived_at !== null) return toAccount(row);
    const rule = await queries.findLiveRuleOf(tx, organizationId, id);
    if (rule !== undefined)
      throw invalid(
        `The federation rule ${rule} targets the service account ${row.name}: archive that rule first, or give it another target.`,
      );
    const at = context.clock.now();
    await queries.archiveAccount(tx, organizationId, id, { at, by: actingId(context) });
    await endTokensOfAccount(tx, context, organizationId, id);
    await recordAccountEvent(tx, context, "archived", id, { name: row.name });
    return toAccount(await accountOr404(tx, organizationId, id));
  });
}

export async function retrieveAccount({ db, who }: Context, id: string): Promise<ServiceAccount> {
  return toAccount(await accountOr404(db, who.organizationId, id));
}

export async function listAccounts({ db, secrets, who }: Context, query: ArchivedQuery) {
  const cursors = makeCursors(secrets);
  const { organizationId } = who;
  const after = cursors.read("service_accounts", organizationId, query.page) as string | undefined;
  const size = pageSize(query.limit, { itemsMax: 1000 });
  const rows = await queries.listAccounts(db, organizationId, {
    after: after ?? null,
    withArchived: query.include_archived ?? false,
    rows: size + 1,
  });
  return toCursorPage(rows.map(toAccount), size, (last) =>
    cursors.write("service_accounts", organizationId, last.id),
  );
}

/** Rule SVA7. */
export async function accountOr404(
  from: Parameters<typeof queries.findAccount>[0],
  organizationId: string,
  id: string,
): Promise<queries.AccountRow> {
  const row = await queries.findAccount(from, organizationId, id);
  if (row === undefined) throw notFound(noun, id);
  return row;
}

/** For a change: archived ones take none. */
export async function lockLiveAccount(
  tx: Tx,
  organizationId: string,
  id: string,
): Promise<queries.AccountRow> {
  const row = await queries.lockAccount(tx, organizationId, id);
  if (row === undefined) throw notFound(noun, id);
  if (row.archived_at !== null) throw archivedFailure(noun, id);
  return row;
}

const toAccount = (row: queries.AccountRow): ServiceAccount => ({
  id: row.id,
  type: "service_account",
  name: row.name,
  description: row.description,
  organization_role: row.organization_role,
  ...toChangeStamps(row),
});
