// What a person may: by their role, and for a managed member by the roles of their groups alone.
import type { OrganizationType } from "../../../kernel/context.ts";
import type { Queryable } from "../../../kernel/sql/database.ts";
import * as groups from "../../groups/module.ts";
import { permissionsOfManaged, permissionsOfRole, type Role } from "./permissions.ts";

export interface Rights {
  permissions: ReadonlySet<string>;
  /** Rule GRP12: only the roles of their groups give them anything. */
  isManaged?: true;
  /** The models that they may use; undefined for every one. */
  models?: ReadonlySet<string>;
}

export interface Person {
  organizationId: string;
  organizationType: OrganizationType;
  userId: string;
  role: Role;
}

/** Rule GRP12. A cache of this must be cleared with the revocations. */
export async function rightsOfPerson(
  from: Queryable,
  { organizationId, organizationType, userId, role }: Person,
): Promise<Rights> {
  if (role !== "managed") return { permissions: permissionsOfRole(role, organizationType) };
  const { permissions, models } = await groups.accessOfMember(from, organizationId, userId);
  const given = permissionsOfManaged(permissions);
  return { permissions: given, isManaged: true, ...(models && { models }) };
}
