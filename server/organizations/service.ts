// Organizations: made by the operator, read by their members.
import assert from "node:assert/strict";
import { conflict } from "../../kernel/base/failure.ts";
import { cleanName } from "../../kernel/base/name.ts";
import type { Context, OrganizationType, World } from "../../kernel/context.ts";
import { brokenConstraint, type Tx } from "../../kernel/sql/database.ts";
import * as audit from "../audit/module.ts";
import * as workspaces from "../workspaces/module.ts";
import * as queries from "./queries.ts";
import { limits } from "./limits.ts";
import type { Organization } from "./schema.ts";

export interface NewOrganization {
  name: string;
  type: OrganizationType;
}

export const cleanOrganizationName = (field: string, name: string) =>
  cleanName(field, name, limits.nameCharactersMax);

/** Rules ORG2 and ORG3, with the entry in the audit log. */
export async function createOrganization(
  tx: Tx,
  world: World,
  actor: audit.AuditActor,
  input: NewOrganization,
) {
  const id = world.ids.next("org_");
  const created_at = world.clock.now();
  try {
    await queries.insertOrganization(tx, { id, type: input.type, name: input.name, created_at });
  } catch (error) {
    throw nameTaken(error, input.name);
  }
  const act = { organizationId: id, action: "organization.created", target: targetOf(id) };
  await audit.record(tx, world, actor, { ...act, details: { ...input } });
  const workspaceId = await workspaces.createDefaultWorkspace(tx, world, id);
  return { id, workspaceId };
}

export async function renameOrganization(
  tx: Tx,
  world: World,
  actor: audit.AuditActor,
  { id, name, nameBefore }: { id: string; name: string; nameBefore: string },
): Promise<void> {
  try {
    await queries.renameOrganization(tx, id, name);
  } catch (error) {
    throw nameTaken(error, name);
  }
  const act = { organizationId: id, action: "organization.renamed", target: targetOf(id) };
  await audit.record(tx, world, actor, { ...act, details: { name, name_before: nameBefore } });
}

const targetOf = (id: string) => ({ type: "organization", id });

export async function currentOrganization({ db, who }: Context): Promise<Organization> {
  const row = await queries.findOrganization(db, who.organizationId);
  assert(row !== undefined, `organization ${who.organizationId} of a credential is gone`);
  return { id: row.id, type: "organization", name: row.name };
}

const nameTaken = (error: unknown, name: string) =>
  brokenConstraint(error) === "organizations_name"
    ? conflict(`organization: the name ${JSON.stringify(name)} is taken; choose another one.`)
    : error;
