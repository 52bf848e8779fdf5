// Organizations: made by the operator, read by their members.
import { conflict } from "../../kernel/base/failure.ts";
import type { Context, OrganizationType, World } from "../../kernel/context.ts";
import { brokenConstraint, type Tx } from "../../kernel/sql/database.ts";
import * as workspaces from "../workspaces/module.ts";
import * as queries from "./queries.ts";
import type { Organization } from "./schema.ts";

export interface NewOrganization {
  name: string;
  type: OrganizationType;
}

/** Rules ORG2 and ORG3. */
export async function createOrganization(tx: Tx, world: World, input: NewOrganization) {
  const id = world.ids.next("org_");
  const created_at = world.clock.now();
  try {
    await queries.insertOrganization(tx, { id, type: input.type, name: input.name, created_at });
  } catch (error) {
    throw nameTaken(error, input.name);
  }
  const workspaceId = await workspaces.createDefaultWorkspace(tx, world, id);
  return { id, workspaceId };
}

export async function renameOrganization(tx: Tx, id: string, name: string): Promise<void> {
  try {
    await queries.renameOrganization(tx, id, name);
  } catch (error) {
    throw nameTaken(error, name);
  }
}

export async function currentOrganization({ db, who }: Context): Promise<Organization> {
  const row = await queries.findOrganization(db, who.organizationId);
  if (row === undefined)
    throw new Error(`organization ${who.organizationId} of a credential is gone`);
  return { id: row.id, type: "organization", name: row.name };
}

const nameTaken = (error: unknown, name: string) =>
  brokenConstraint(error) === "organizations_name"
    ? conflict(`organization: the name ${JSON.stringify(name)} is taken; choose another one.`)
    : error;
