// How the database goes about the statements of sessions: claims and events come all the time.
import type { Queryable } from "../../kernel/sql/database.ts";
import { claimSessions, listDue } from "../../server/sessions/brain/queries.ts";
import { listCalls } from "../../server/sessions/events/queries.ts";
import { loadSessions } from "../../server/sessions/model/queries.ts";
import { listSessions } from "../../server/sessions/queries.ts";
import { listResources } from "../../server/sessions/resources/queries.ts";

const always = { gt: null, gte: null, lt: null, lte: null };
const page = {
  agentId: null,
  agentVersion: null,
  deploymentId: null,
  memoryStoreId: null,
  vaultId: null,
  statuses: null,
  includesArchived: false,
  createdAt: always,
  beyond: "s",
  isAscending: false,
  rows: 21,
};
const claim = {
  leaseMs: 10_000,
  most: 64,
  sandboxes: { hostId: "host_1", owner: "sandboxes_1" },
};

export const sessionStatements: Record<string, (on: Queryable) => Promise<unknown>> = {
  "sessions: a page": (on) => listSessions(on, "wrkspc", page),
  "sessions: a page, oldest first": (on) =>
    listSessions(on, "wrkspc", { ...page, isAscending: true }),
  "sessions: of an agent": (on) => listSessions(on, "wrkspc", { ...page, agentId: "a" }),
  "sessions: claim": (on) => claimSessions(on, "me", claim),
  "sessions: due": (on) => listDue(on, ["one", "two"]),
  "sessions: as it is worked on": (on) => loadSessions(on, ["s"]),
  "sessions: calls": (on) => listCalls(on, "s"),
  "sessions: resources of a page": (on) => listResources(on, ["one", "two"]),
};
