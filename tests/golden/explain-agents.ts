// How the database goes about the statements of agents: sessions read a version whenever one begins.
import type { Queryable, Tx } from "../../kernel/sql/database.ts";
import * as agents from "../../server/agents/queries.ts";

const page = { includesArchived: true, from: null, to: null, before: "a", rows: 21 };
const listed = [{ id: "a", version: 1, bytes: 1 }];

export const agentStatements: Record<string, (on: Queryable) => Promise<unknown>> = {
  "agents: the newest version": (on) => agents.findAgentVersion(on, "wrkspc", { id: "a" }),
  "agents: a version": (on) => agents.findAgentVersion(on, "wrkspc", { id: "a", version: 1 }),
  "agents: to lock one": (on) => agents.lockAgent(on as Tx, "wrkspc", "a"),
  "agents: how many are open": (on) => agents.countOpenAgents(on as Tx, "wrkspc"),
  "agents: a page": (on) => agents.listAgents(on, "wrkspc", page),
  "agents: versions": (on) => agents.listVersions(on, "wrkspc", { id: "a", before: 7, rows: 21 }),
  "agents: what a page shows": (on) => agents.loadVersions(on, "wrkspc", listed),
  "agents: members": (on) => agents.findMembers(on, "wrkspc", [{ id: "a", version: null }]),
};
