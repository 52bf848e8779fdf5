// What a provider's person is in Plinth: a member while active, with all that hangs on the membership.
import type { Context } from "../../../kernel/context.ts";
import type { Tx } from "../../../kernel/sql/database.ts";
import * as audit from "../../audit/module.ts";
import { emailKey, updateProfile, type Role } from "../../identity/module.ts";
import * as members from "../../members/module.ts";
import * as groups from "../../groups/module.ts";
import { listGroupIdsOf } from "../groups/queries-memberships.ts";
import * as queries from "./queries.ts";
import type { Json } from "../schema.ts";
import { providerActor } from "../console/tokens.ts";
import { scimInvalid } from "../wire.ts";

export interface ProvisionedPerson {
  id: string;
  userName: string;
  externalId: string | null;
  active: boolean;
  email: string;
  name: string;
  role: Role;
  document: Json;
}

/** Makes Plinth agree with the provider's present state. In the transaction of the request. */
export async function reconcileUser(
  tx: Tx,
  context: Context,
  before: queries.UserRow | undefined,
  person: ProvisionedPerson,
): Promise<void> {
  const { organizationId } = context.who;
  const wasActive = before?.active ?? false;
  if (before !== undefined && isSame(before, person)) return;
  let role = person.role;
  if (wasActive && before !== undefined) {
    if (!person.active) await deactivateUser(tx, context, before);
    else role = await change(tx, context, before, person);
  } else if (person.active) await switchOn(tx, context, person);
  const saved = { ...person, role, ...savedParts(context, person) };
  if (before === undefined && !person.active) await queries.insertUser(tx, organizationId, saved);
  else await queries.saveUser(tx, organizationId, saved);
  await recordPersonEvent(tx, context, before, person);
}

const savedParts = ({ clock }: Context, { email, name }: ProvisionedPerson) => ({
  emailKey: emailKey(email),
  displayName: name,
  at: clock.now(),
});

/** Providers repeat themselves; what changes nothing leaves no trace. */
const isSame = (before: queries.UserRow, person: ProvisionedPerson) =>
  before.user_name === person.userName &&
  before.external_id === person.externalId &&
  before.active === person.active &&
  before.email === person.email &&
  before.display_name === person.name &&
  before.role === person.role &&
  JSON.stringify(sorted(before.document)) === JSON.stringify(sorted(person.document));

/** The database returns the fields of an object in its own order. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(entries.map(([key, inner]) => [key, sorted(inner)]));
}

const isOwner = (role: Role) => role === "owner" || role === "primary_owner";

/** The role after the change: an owner's is changed by owners alone. */
async function change(
  tx: Tx,
  context: Context,
  before: queries.UserRow,
  { id, email, name, role }: ProvisionedPerson,
): Promise<Role> {
  const actor = providerActor(context);
  const { organizationId } = context.who;
  const profile = {
    ...(email !== before.email && { email }),
    ...(name !== before.display_name && { name }),
  };
  if (Object.keys(profile).length > 0)
    await updateProfile(tx, context, actor, organizationId, { id, ...profile });
  if (role === before.role || isOwner(before.role)) return before.role;
  await members.setRole(tx, context, actor, organizationId, { userId: id, role });
  return role;
}

/** Rule SCM23. Takes a seat; a returning member keeps their id. */
async function switchOn(tx: Tx, context: Context, person: ProvisionedPerson): Promise<void> {
  const { id, email, name, role } = person;
  const { organizationId } = context.who;
  const actor = providerActor(context);
  await members.provisionUser(tx, context, actor, organizationId, { id, email, name, role });
  for (const groupId of await listGroupIdsOf(tx, organizationId, id)) {
    const group = await groups.lockGroup(tx, organizationId, groupId);
    await groups.addMembers(tx, context, actor, { organizationId, group, userIds: [id] });
  }
}

/** Rule SCM24. Sign-ins, tokens, memberships and the seat go with the member, in one transaction. */
export async function deactivateUser(
  tx: Tx,
  context: Context,
  row: queries.UserRow,
): Promise<void> {
  const { organizationId } = context.who;
  if (row.role === "primary_owner")
    throw scimInvalid(
      "mutability",
      `${row.user_name} is the primary owner of the organization and keeps access when the identity provider fails: transfer the ownership in the console first.`,
    );
  await queries.setInactive(tx, organizationId, row.id);
  await members.removeUser(tx, context, providerActor(context), organizationId, row.id);
}

/** Beside the events of members and profiles: records that the provider acted, and which attributes it changed. */
async function recordPersonEvent(
  tx: Tx,
  context: Context,
  before: queries.UserRow | undefined,
  person: ProvisionedPerson,
): Promise<void> {
  const action = actionOf(before, person);
  await audit.record(tx, context, providerActor(context), {
    organizationId: context.who.organizationId,
    action,
    target: { type: "user", id: person.id },
    details: { user_name: person.userName, external_id: person.externalId },
  });
}

function actionOf(before: queries.UserRow | undefined, { active }: ProvisionedPerson): string {
  if (before === undefined) return "scim_user.created";
  if (before.active === active) return "scim_user.updated";
  return active ? "scim_user.activated" : "scim_user.deactivated";
}
