// What the derived tests want to know of the routes of the audit log, beside its list.
import type { Fixture } from "./fixture.ts";

export const auditFixtures: Readonly<Record<string, Fixture>> = {
  "console.audit.export": { query: "format=jsonl" },
};
