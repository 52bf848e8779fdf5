// What the identity provider of an organization controls: asked by every write that it may close.
import { invalid } from "../../kernel/base/failure.ts";
import type { Queries } from "../../kernel/sql/database.ts";
import * as queries from "./queries-control.ts";

export interface Control {
  /** How people join by the provider: not at all, at their first sign-in, or by SCIM. Closes invitations. */
  provisioning: "none" | "jit" | "scim";
  /** The provider says which role a member has. Closes the change of roles. */
  roles: boolean;
  /** The provider says who is a member. Closes removal. */
  removal: boolean;
  /** The provider may push groups. Those whose source is `scim` are closed by its provisioning, whatever this says. */
  groups: boolean;
  /** What the organization calls its provider. */
  provider: string | null;
}

const uncontrolled: Control = {
  provisioning: "none",
  roles: false,
  removal: false,
  groups: false,
  provider: null,
};

/** Rule SCM1. In the transaction of the write that it may close. */
export async function controlOf(from: Queries, organizationId: string): Promise<Control> {
  const row = await queries.findProvider(from, organizationId);
  if (row === undefined) return uncontrolled;
  // Settings of a connection that is not on lie ready, and close nothing.
  const isWaiting = row.provisioning === "jit" && !row.signs_in;
  const provisioning = isWaiting ? "none" : row.provisioning;
  return {
    provisioning,
    roles: provisioning !== "none" && row.controls_roles,
    removal: provisioning === "scim",
    groups: provisioning === "scim" && row.controls_groups,
    provider: row.name,
  };
}

/** `what` begins the sentence: "Who joins this organization", "The role of members", "The group Engineering". */
export const blockedBy = (provider: string | null, what: string) =>
  invalid(
    `${what} is managed by the identity provider ${provider ?? "of the organization"}: change it there.`,
  );

export interface Provider {
  name: string;
  /** What holds as soon as it is on. */
  provisioning: Control["provisioning"];
  roles: boolean;
  /** What whoever joins by it becomes, where it names no role. */
  defaultRole: string;
}

/** What the owners have set, be it on or not; undefined where the organization has named none. */
export async function providerOf(
  from: Queries,
  organizationId: string,
): Promise<Provider | undefined> {
  const row = await queries.findProvider(from, organizationId);
  if (row === undefined) return undefined;
  const { name, provisioning, controls_roles, default_role } = row;
  const roles = provisioning !== "none" && controls_roles;
  return { name, provisioning, roles, defaultRole: default_role };
}
