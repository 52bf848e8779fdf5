// An organization's identity provider by name, and how people join by it: written by single sign-on and SCIM.
import { invalid } from "../../kernel/base/failure.ts";
import type { Tx } from "../../kernel/sql/database.ts";
import * as control from "./queries-control.ts";
import * as queries from "./queries-provider.ts";

export interface ProviderChange {
  name: string;
  /** SCIM itself is switched on and off where its tokens are managed. */
  provisioning?: "none" | "jit";
  controlsRoles?: boolean;
  defaultRole?: string;
  at: Date;
}

/** Rule SSO1. An absent field keeps its value. */
export async function setProvider(
  tx: Tx,
  organizationId: string,
  { name, provisioning, controlsRoles, defaultRole, at }: ProviderChange,
): Promise<void> {
  const row = await control.findProvider(tx, organizationId);
  if (row?.provisioning === "scim" && provisioning !== undefined)
    throw invalid(
      "provisioning: members come by SCIM here. Switch SCIM off first, or leave the field out.",
    );
  await control.saveProvider(tx, organizationId, {
    name,
    provisioning: provisioning ?? row?.provisioning ?? "none",
    controls_roles: controlsRoles ?? row?.controls_roles ?? false,
    controls_groups: row?.controls_groups ?? false,
    default_role: defaultRole ?? row?.default_role ?? "user",
    updated_at: at,
  });
}

/** Without single sign-on people do not join at a first sign-in; SCIM goes on. */
export async function endJit(tx: Tx, organizationId: string): Promise<void> {
  await queries.deleteProviderButScim(tx, organizationId);
}
