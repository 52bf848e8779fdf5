// What the derived tests need to know of the routes of alerts.
import { insertAlerts } from "../../server/alerts/queries.ts";
import type { Tenant } from "./callers.ts";
import type { Fixture } from "./fixture.ts";

/** An alert of the tenant that no look resolves: its rule is of an upstream that was never asked. */
async function alertIn({ world, organizationId }: Tenant): Promise<{ alert_id: string }> {
  const id = world.ids.next("alert_");
  await world.db.tx((tx) =>
    insertAlerts(tx, [
      {
        id,
        organizationId,
        kind: "upstream_down",
        subjectType: "upstream",
        subjectId: id,
        period: "",
        level: 0,
        value: 5,
        threshold: 5,
        firingSince: world.clock.now(),
      },
    ]),
  );
  return { alert_id: id };
}

const twoAlerts = async (tenant: Tenant) => {
  await alertIn(tenant);
  await alertIn(tenant);
};

const kind = async () => ({ kind: "spend" });

const own: Readonly<Record<string, Fixture>> = {
  "alerts.list": { items: twoAlerts },
  "alerts.retrieve": { params: alertIn },
  "alert_rules.retrieve": { shared: true, params: kind },
  "alert_rules.update": { shared: true, params: kind, body: () => ({ percents: [80, 100] }) },
  "alert_settings.update": { body: () => ({ mail_administrators: true }) },
};

export const alertFixtures: Readonly<Record<string, Fixture>> = {
  ...own,
  ...Object.fromEntries(
    Object.entries(own).map(([operation, fixture]) => [`console.${operation}`, fixture]),
  ),
};
