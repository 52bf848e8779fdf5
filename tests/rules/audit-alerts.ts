// The changes of alert rules and settings that leave an event each.
import type { House, Tenant } from "../house.ts";
import type { AuditedChange } from "./audit-house.ts";

/** The house is there when they are made ready. */
export function alertChanges(houseOf: () => House): Record<string, AuditedChange> {
  let number = 10;
  function changes(place: "" | "console."): Record<string, AuditedChange> {
    const ask = (tenant: Tenant, method: string, path: string, body?: object) =>
      place === ""
        ? houseOf().ask(method, `/v1/organizations/${path}`, {
            key: tenant.admin_api_key,
            ...(body && { body }),
          })
        : houseOf().ask(method, `/console/api/${path}`, {
            cookie: tenant.cookie,
            ...(body && { body }),
          });
    const read = (path: string) => async (tenant: Tenant) => (await ask(tenant, "GET", path)).body;
    return {
      [`${place}alert_rules.update`]: {
        action: "alert_rule.updated",
        prepare: async (tenant) => {
          const body = { percents: [(number += 1)] };
          return () => ask(tenant, "POST", "alert_rules/spend", body);
        },
        state: read("alert_rules"),
      },
      [`${place}alert_settings.update`]: {
        action: "alert_settings.updated",
        prepare: async (tenant) => {
          const body = { mail_to: [`ops-${(number += 1)}@alerts.example`] };
          return () => ask(tenant, "POST", "alert_settings", body);
        },
        state: read("alert_settings"),
      },
    };
  }
  return { ...changes(""), ...changes("console.") };
}
