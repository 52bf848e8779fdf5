// The hot statements of the audit log.
import type { Queryable } from "../../kernel/sql/database.ts";
import * as audit from "../../server/audit/queries.ts";
import * as exports from "../../server/audit/sink/queries.ts";
import * as chains from "../../server/audit/chain/queries.ts";

const now = new Date("2026-01-01T00:00:00Z");
const anyEvent: audit.EventFilter = {
  actions: null,
  actorId: null,
  targetId: null,
  address: null,
  from: null,
  to: null,
  words: [],
};
const auditWindow = { before: { at: now.toISOString(), id: "audit_1" }, rows: 21 };
const eventsOf = (on: Queryable, filter: Partial<audit.EventFilter>) =>
  audit.listEvents(on, "org", { ...anyEvent, ...filter }, auditWindow);

export const auditStatements: Record<string, (on: Queryable) => Promise<unknown>> = {
  "audit: a page": (on) => eventsOf(on, {}),
  "audit: of a span": (on) => eventsOf(on, { from: now, to: new Date(now.getTime() + 1) }),
  "audit: of actions": (on) => eventsOf(on, { actions: ["key.created", "key.renamed"] }),
  "audit: of an actor": (on) => eventsOf(on, { actorId: "user" }),
  "audit: of a target": (on) => eventsOf(on, { targetId: "key" }),
  "audit: from an address": (on) => eventsOf(on, { address: "127.0.0.1" }),
  "audit: behind a number": (on) => audit.listBehind(on, "org", { seq: 7, rows: 21 }),
  "audit: actions": (on) => audit.listActions(on, "org"),
  "audit: a chain": (on) => chains.readChain(on, "org", { seq: "7", id: "audit_1" }, 5_000),
  "audit: a link": (on) => chains.readHash(on, "org", 7),
  "audit: a head": (on) => chains.readHead(on, "org"),
  "audit: chains to sign": (on) => chains.listUnanchored(on, "org", 500),
  "audit: what is not exported": (on) =>
    exports.listBehindExport(on, "default", { after: "org", rows: 200 }),
  "audit: how an export goes": (on) => exports.readExportState(on, "default"),
  "audit: without a place": (on) => chains.listUnsealed(on, 500),
};
