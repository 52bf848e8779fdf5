// People as the identity provider pushes them: they come, change, are switched off and come back.
import { notFound } from "../../../kernel/base/failure.ts";
import { caseless } from "../../../kernel/base/name.ts";
import type { Context } from "../../../kernel/context.ts";
import { json, noContent } from "../../../kernel/http/output/reply.ts";
import { brokenConstraint, type Tx } from "../../../kernel/sql/database.ts";
import * as audit from "../../audit/module.ts";
import { emailKey, type Role } from "../../identity/module.ts";
import * as identityProvider from "../../identity_provider/module.ts";
import {
  emailOf,
  isEmail,
  isRole,
  personNameOf,
  readUser,
  roleOf,
  type ParsedUser,
} from "./documents.ts";
import { reconcileUser, deactivateUser, type ProvisionedPerson } from "./reconcile.ts";
import { expectSwitchedOn } from "../switched-on.ts";
import { readOperations } from "../patch-operations.ts";
import { applyOperations } from "./patch.ts";
import { listGroupsOf } from "../groups/queries-memberships.ts";
import * as queries from "./queries.ts";
import type { Json, ResourceQuery } from "../schema.ts";
import { providerActor } from "../console/tokens.ts";
import { toUser } from "./service-read.ts";
import { notUnique, scimInvalid, selectAttributes } from "../wire.ts";

/** Rules SCM21 and SCM23. */
export async function createUser(context: Context, body: unknown) {
  const parsed = readUser(body);
  const { userName } = parsed;
  if (userName === undefined) throw scimInvalid("invalidValue", "userName: is missing.");
  const email = emailOf(parsed.document) ?? (isEmail(userName) ? userName : undefined);
  if (email === undefined)
    throw scimInvalid(
      "invalidValue",
      "emails: is missing, and userName is no e-mail address; map one of them to the address.",
    );
  const { organizationId } = context.who;
  const row = await saving(userName, () =>
    context.db.tx(async (tx) => {
      const control = await expectSwitchedOn(tx, context);
      if (await queries.isNameTaken(tx, organizationId, caseless(userName))) throw taken(userName);
      const settings = await identityProvider.providerOf(tx, organizationId);
      const person: ProvisionedPerson = {
        id: context.ids.next("user_"),
        userName,
        externalId: parsed.externalId ?? null,
        active: parsed.active ?? true,
        email,
        name: personNameOf(parsed.document) ?? nameFrom(email),
        role: wantedRole(context, control, parsed.document) ?? startRole(settings?.defaultRole),
        document: parsed.document,
      };
      await reconcileUser(tx, context, undefined, person);
      return rowOr404(tx, context, person.id);
    }),
  );
  const user = toUser(context, row, []);
  return json(user, { location: user.meta.location }, 201);
}

const nameFrom = (email: string) => email.slice(0, email.indexOf("@"));

/** A role that this version does not know counts as the weakest. */
const startRole = (name = "user"): Role => (isRole(name) ? name : "user");

/** Undefined where the provider does not control roles, or sends none that exists here. */
const wantedRole = (
  { who }: Context,
  control: identityProvider.ProviderControl,
  document: Json,
): Role | undefined =>
  control.controlsRoles ? roleOf(document, who.organizationType === "enterprise") : undefined;

/** A whole person: attributes that are absent are removed, but for name and e-mail. */
export async function replaceUser(
  context: Context,
  id: string,
  { body, query }: { body: unknown; query: ResourceQuery },
) {
  const parsed = readUser(body);
  return changeUser(context, id, query, () => parsed);
}

export async function patchUser(
  context: Context,
  id: string,
  { body, query }: { body: unknown; query: ResourceQuery },
) {
  const operations = readOperations(body);
  return changeUser(context, id, query, (row) =>
    readUser(applyOperations(documentOf(row), operations)),
  );
}

/** The document to which operations are applied, attributes with a column included. */
const documentOf = (row: queries.UserRow): Json => ({
  userName: row.user_name,
  ...(row.external_id !== null && { externalId: row.external_id }),
  active: row.active,
  ...row.document,
});

async function changeUser(
  context: Context,
  id: string,
  query: ResourceQuery,
  change: (row: queries.UserRow) => ParsedUser,
) {
  const row = await saving("", () =>
    context.db.tx(async (tx) => {
      const control = await expectSwitchedOn(tx, context);
      const before = await lockedOr404(tx, context, id);
      const parsed = change(before);
      await reconcileUser(tx, context, before, merged(context, control, before, parsed));
      return rowOr404(tx, context, id);
    }),
  );
  const groups = await listGroupsOf(context.db, context.who.organizationId, [id]);
  return selectAttributes(toUser(context, row, groups), query);
}

/** Attributes that a person cannot be without keep their value when absent. */
function merged(
  context: Context,
  control: identityProvider.ProviderControl,
  before: queries.UserRow,
  parsed: ParsedUser,
): ProvisionedPerson {
  const userName = parsed.userName ?? before.user_name;
  const isRenamed = caseless(userName) !== caseless(before.user_name);
  const fromName = isRenamed && isEmail(userName) ? userName : before.email;
  const email = emailOf(parsed.document) ?? fromName;
  return {
    id: before.id,
    userName,
    externalId: parsed.externalId === undefined ? null : parsed.externalId,
    active: parsed.active ?? before.active,
    email: emailKey(email) === emailKey(before.email) ? before.email : email,
    name: personNameOf(parsed.document) ?? before.display_name,
    role: wantedRole(context, control, parsed.document) ?? before.role,
    document: parsed.document,
  };
}

/** Rule SCM24. Gone for SCIM too; a person created anew under the name is another one. */
export async function deleteUser(context: Context, id: string) {
  const { organizationId } = context.who;
  await context.db.tx(async (tx) => {
    await expectSwitchedOn(tx, context);
    const row = await lockedOr404(tx, context, id);
    if (row.active) await deactivateUser(tx, context, row);
    await queries.deleteUser(tx, organizationId, id);
    await audit.record(tx, context, providerActor(context), {
      organizationId,
      action: "scim_user.deleted",
      target: { type: "user", id },
      details: { user_name: row.user_name },
    });
  });
  return noContent();
}

const taken = (userName: string) =>
  notUnique(`userName: ${JSON.stringify(userName)} is somebody else's in this organization.`);

/** Two concurrent requests for one name: the database's constraint lets one through. */
async function saving<T>(userName: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (brokenConstraint(error) === "scim_users_by_name") throw taken(userName);
    throw error;
  }
}

async function lockedOr404(tx: Tx, { who }: Context, id: string): Promise<queries.UserRow> {
  const row = await queries.lockUser(tx, who.organizationId, id);
  if (row === undefined) throw notFound("user", id);
  return row;
}

async function rowOr404(tx: Tx, { who }: Context, id: string): Promise<queries.UserRow> {
  const row = await queries.findUser(tx, who.organizationId, id);
  if (row === undefined) throw notFound("user", id);
  return row;
}
