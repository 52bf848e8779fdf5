// What the tests of the audit log share: tenants that a change may leave without cookie or password, and their events.
import type { OrganizationType } from "../../kernel/context.ts";
import { initialize } from "../../server/organization-setup.ts";
import type { Answer, House, Tenant } from "../house.ts";

export const newPassword = "a new password of the owner";

export async function auditTenant(
  house: House,
  name: string,
  type: OrganizationType = "platform",
): Promise<Tenant> {
  const made = await initialize(house.world, {
    organization: name,
    type,
    email: `${name.replaceAll(/\W/g, "-")}@audit.example`,
  });
  return { ...made, cookie: await house.signIn(made) };
}

export const eventsIn = (house: House, { organization_id }: Tenant) =>
  house.world.db.query<{ id: string; action: string; request_id: string | null }>({
    text: "select id, action, request_id from audit_events where organization_id = $1 order by id",
    values: [organization_id],
  });

export interface AuditedChange {
  /** Of the organization that has the route; platform unless named. */
  type?: OrganizationType;
  /** What the event says. */
  action: string;
  /** Of something else that it makes in the same transaction: that has an event of its own, before this one. */
  makes?: string;
  /** Makes ready; the result does it, in the name of this tenant. */
  prepare(tenant: Tenant): Promise<() => Promise<Answer>>;
  /** What the change changes, seen from outside: the same before and after a change that failed. */
  state(tenant: Tenant): Promise<unknown>;
}
