// What the derived tests want to know of the routes of the audit log, beside the console's list.
import type { Fixture } from "./fixture.ts";

export const auditFixtures: Readonly<Record<string, Fixture>> = {
  // That the organization was made stands in it, and more.
  "audit_events.list": { items: async () => {} },
  "console.audit.export": { query: "format=jsonl" },
};
