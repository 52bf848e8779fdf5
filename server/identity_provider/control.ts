// What an organization's identity provider controls: asked by every write that it may close.
import { invalid } from "../../kernel/base/failure.ts";
import type { Queryable } from "../../kernel/sql/database.ts";
import * as queries from "./queries-control.ts";

export interface ProviderControl {
  /** How people join by the provider: not at all, at their first sign-in, or by SCIM. Closes invitations. */
  provisioning: "none" | "jit" | "scim";
  /** The provider sets members' roles. Closes the change of roles. */
  controlsRoles: boolean;
  /** The provider decides who is a member. Closes removal. */
  controlsRemoval: boolean;
  /** The provider may push groups. Groups of the source `scim` are closed by its provisioning, independent of this. */
  controlsGroups: boolean;
  /** The organization's name for its provider. */
  provider: string | null;
}

const uncontrolled: ProviderControl = {
  provisioning: "none",
  controlsRoles: false,
  controlsRemoval: false,
  controlsGroups: false,
  provider: null,
};

/** Rule SCM1. In the transaction of the write that it may close. */
export async function providerControlOf(
  from: Queryable,
  organizationId: string,
): Promise<ProviderControl> {
  const row = await queries.findProvider(from, organizationId);
  if (row === undefined) return uncontrolled;
  // Settings of a connection that is switched off are kept, and close nothing.
  const isWaiting = row.provisioning === "jit" && !row.signs_in;
  const provisioning = isWaiting ? "none" : row.provisioning;
  return {
    provisioning,
    controlsRoles: provisioning !== "none" && row.controls_roles,
    controlsRemoval: provisioning === "scim",
    controlsGroups: provisioning === "scim" && row.controls_groups,
    provider: row.name,
  };
}

/** `what` begins the sentence: "Who joins this organization", "The role of members", "The group Engineering". */
export const managedByProvider = (provider: string | null, what: string) =>
  invalid(
    `${what} is managed by the identity provider ${provider ?? "of the organization"}: change it there.`,
  );

export interface Provider {
  name: string;
  /** As it will apply once the connection is switched on. */
  provisioning: ProviderControl["provisioning"];
  roles: boolean;
  /** The role of a person who joins by the provider, where it names none. */
  defaultRole: string;
}

/** The owners' settings, switched on or not; undefined where the organization has named no provider. */
export async function providerOf(
  from: Queryable,
  organizationId: string,
): Promise<Provider | undefined> {
  const row = await queries.findProvider(from, organizationId);
  if (row === undefined) return undefined;
  const { name, provisioning, controls_roles, default_role } = row;
  const roles = provisioning !== "none" && controls_roles;
  return { name, provisioning, roles, defaultRole: default_role };
}
