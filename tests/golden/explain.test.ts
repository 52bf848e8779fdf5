// How the database goes about the hot statements: which index serves each, and where it must sort.
import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import * as jobs from "../../kernel/jobs/queries.ts";
import * as schedules from "../../kernel/jobs/schedules/queries.ts";
import type { Database, Queryable, Tx } from "../../kernel/sql/database.ts";
import { sql, type Statement } from "../../kernel/sql/statement.ts";
import * as environmentKeys from "../../server/environments/keys/queries.ts";
import * as environments from "../../server/environments/queries.ts";
import * as credentials from "../../server/vaults/credentials/queries.ts";
import * as mcpServers from "../../server/mcp_servers/queries.ts";
import * as vaults from "../../server/vaults/queries.ts";
import * as files from "../../server/files/queries.ts";
import * as fileSweep from "../../server/files/queries-sweep.ts";
import * as signIns from "../../server/identity/sign_in/queries.ts";
import * as keys from "../../server/keys/queries.ts";
import * as memory from "../../server/memory/memories/queries.ts";
import * as memoryStores from "../../server/memory/stores/queries.ts";
import * as skillContents from "../../server/skills/content/queries.ts";
import * as skills from "../../server/skills/queries.ts";
import * as gauges from "../../server/operations/queries-gauges.ts";
import * as traffic from "../../server/traffic/queries.ts";
import * as bodies from "../../server/request_bodies/queries.ts";
import * as keptBodies from "../../server/request_bodies/kept/queries.ts";
import * as workspaces from "../../server/workspaces/queries.ts";
import * as members from "../../server/workspaces/members/queries.ts";
import { testDatabase } from "../postgres.ts";
import { alertStatements } from "./explain-alerts.ts";
import { agentStatements } from "./explain-agents.ts";
import { auditStatements } from "./explain-audit.ts";
import { deploymentStatements } from "./explain-deployments.ts";
import { groupStatements } from "./explain-groups.ts";
import { logStatements } from "./explain-log.ts";
import { memberStatements } from "./explain-members.ts";
import { overviewStatements } from "./explain-overview.ts";
import { reportStatements } from "./explain-reports.ts";
import { scimStatements } from "./explain-scim.ts";
import { sessionStatements } from "./explain-sessions.ts";
import { webhookStatements } from "./explain-webhooks.ts";

const now = new Date("2026-01-01T00:00:00Z");
const hourBefore = new Date(now.getTime() - 3_600_000);
const hash = Buffer.alloc(32);
const keyFilter: keys.KeyFilter = {
  kinds: ["api"],
  statuses: null,
  workspaceId: null,
  createdBy: null,
  reach: null,
  now,
};
const pageAfter = { after: "k", before: null, rows: 21 };
const workspaceFilter = { ids: null, includesArchived: false, includesDefault: false };
const candidates = { workspaceId: "w", from: "a", to: "b", rows: 20 };
const known = [{ schedule: "s", timing: "t" }];
const memoryWindow = { workspaceId: "wrkspc", from: "/", to: "0", rows: 21, view: "full" } as const;
const anyVersion = { memoryId: null, operation: null, author: null, from: null, to: null };
const versionPage = { ...anyVersion, before: { at: now.toISOString(), seq: 7 }, rows: 21 };
const versionsOf = (on: Queryable, filter: Partial<memory.VersionFilter>) =>
  memory.listVersions(on, "wrkspc", "store", { ...versionPage, view: "basic", ...filter });
const storePage = { includesArchived: true, from: null, to: null, before: "s", rows: 21 };
const environmentPage = { includesArchived: true, before: "e", rows: 21 };
const filePage = { scopeId: null, after: "f", before: null, rows: 21 };

/** What runs on every request, on every poll, or on a table that only grows. A new noun adds its own. */
const hot: Record<string, (on: Queryable) => Promise<unknown>> = {
  "keys: by secret": (on) => keys.findBySecret(on, hash),
  "keys: a page": (on) =>
    keys.listKeys(on, "org", keyFilter, { after: "k", before: null, rows: 21 }),
  "keys: a page back": (on) =>
    keys.listKeys(on, "org", keyFilter, { after: null, before: "k", rows: 21 }),
  "keys: a page of a status": (on) =>
    keys.listKeys(on, "org", { ...keyFilter, statuses: ["inactive"] }, pageAfter),
  "keys: a page of a workspace": (on) =>
    keys.listKeys(on, "org", { ...keyFilter, workspaceId: "w" }, pageAfter),
  "keys: a page of somebody": (on) =>
    keys.listKeys(on, "org", { ...keyFilter, createdBy: "user" }, pageAfter),
  "keys: a page of those that nothing uses": (on) =>
    keys.listKeys(on, "org", { ...keyFilter, unusedSince: now }, pageAfter),
  "keys: the last use of what somebody made": (on) => keys.findLastUse(on, "org", "user"),
  "keys: how many are active": (on) => keys.countActive(on as Tx, "org", "w", now),
  "workspaces: where somebody works by default": (on) =>
    members.findWorkspaceWithRoles(on, "org", null, "user"),
  "workspaces: a page": (on) => workspaces.listPage(on, "org", workspaceFilter, pageAfter),
  "workspaces: how many are open": (on) => workspaces.countOpen(on as Tx, "org"),
  "workspaces: members": (on) => members.listMembers(on, "org", "w", pageAfter),
  "workspaces: of somebody": (on) => members.listRoles(on, "org", "user"),
  "workspaces: candidates": (on) => members.listCandidates(on, "org", candidates),
  "keys: revocations": (on) => keys.readRevocations(on),
  "identity: by cookie": (on) => signIns.findSignIn(on, hash),
  "identity: a person's sign-ins": (on) =>
    signIns.listSignIns(on, "org", "user", { now, seenSince: now }),
  "identity: when somebody was seen last": (on) => signIns.findLastSeen(on, "org", "user"),
  "gauges: what waits": (on) => gauges.selectBacklog(on),
  "gauges: what is kept": (on) => gauges.selectKept(on),
  "gauges: shares of spend limits": (on) => gauges.selectSpendShares(on),
  "operations: requests of an hour": (on) =>
    traffic.listMinutes(on, "org", { from: now, until: now }),
  "operations: requests to sweep": (on) => traffic.deleteRequests(on as Tx, now, 500),
  "upstreams: how they answered": (on) =>
    traffic.sumAttempts(on, "org", { from: hourBefore, until: now }),
  "upstreams: attempts to sweep": (on) => traffic.deleteAttempts(on as Tx, now, 500),
  "request bodies: which workspaces keep them": (on) => bodies.listEnabled(on),
  "request bodies: rules of those that are written": (on) => keptBodies.readRules(on, ["w", "v"]),
  "request bodies: one": (on) => bodies.findBody(on, "org", { id: "req", at: now, now }),
  "request bodies: old ones of a workspace": (on) =>
    bodies.deleteBefore(on, "w", { before: new Date("2026-01-01T12:00:00Z"), rows: 500 }),
  "request bodies: how long they are kept": (on) =>
    bodies.listRetentions(on, { after: "w", rows: 100 }),
  ...agentStatements,
  ...alertStatements,
  ...auditStatements,
  ...groupStatements,
  ...memberStatements,
  ...overviewStatements,
  ...reportStatements,
  ...scimStatements,
  ...sessionStatements,
  ...webhookStatements,
  ...deploymentStatements,
  "jobs: claim": (on) => jobs.claimJobs(on, "me", new Map([["kind", 5]])),
  "jobs: any to do": (on) => jobs.isAnyToDo(on),
  "jobs: promote": (on) => jobs.promoteJobs(on),
  "schedules: due": (on) => schedules.isAnyDue(on, known),
  "memory: by path": (on) => memory.listBelow(on, "store", memoryWindow),
  "memory: children": (on) => memory.listChildren(on, "store", "/", memoryWindow),
  "memory: versions": (on) => versionsOf(on, {}),
  "memory: versions of one": (on) => versionsOf(on, { memoryId: "mem" }),
  "memory: versions by somebody": (on) => versionsOf(on, { author: { type: "api", id: "key" } }),
  "memory: versions that delete": (on) => versionsOf(on, { operation: "deleted" }),
  "memory: stores": (on) => memoryStores.listStores(on, "wrkspc", storePage),
  "environments: a page": (on) => environments.listEnvironments(on, "wrkspc", environmentPage),
  "environments: keys": (on) => environmentKeys.listKeys(on, "wrkspc", "env", environmentPage),
  "environments: a key by secret": (on) => environmentKeys.findBySecret(on, hash),
  "mcp servers: a page": (on) => mcpServers.listServers(on, "wrkspc", environmentPage),
  "vaults: a page": (on) => vaults.listVaults(on, "wrkspc", environmentPage),
  "vaults: of a session": (on) => vaults.findVaults(on, "wrkspc", ["one", "two"]),
  "vaults: credentials": (on) =>
    credentials.listCredentials(on, "wrkspc", "vault", environmentPage),
  "vaults: a credential": (on) =>
    credentials.findCredential(on, "wrkspc", { vaultId: "vault", id: "one" }),
  "vaults: credentials of a session": (on) => credentials.listLive(on, "wrkspc", ["one", "two"]),
  "skills: a page": (on) => skills.listSkills(on, "wrkspc", { before: "s", rows: 21 }),
  "skills: versions": (on) => skills.listVersions(on, "wrkspc", "skill", { before: 7, rows: 21 }),
  "skills: the latest version": (on) => skills.findVersion(on, "wrkspc", "skill", null),
  "skills: unknown blobs": (on) => skillContents.listUnknown(on, ["one", "two"]),
  "files: one": (on) => files.findFile(on, "wrkspc", "file"),
  "files: by ids": (on) => files.findFiles(on, "wrkspc", ["one", "two"]),
  "files: a page": (on) => files.listFiles(on, "wrkspc", filePage),
  "files: a page back": (on) =>
    files.listFiles(on, "wrkspc", { ...filePage, after: null, before: "f" }),
  "files: of a session": (on) => files.listFiles(on, "wrkspc", { ...filePage, scopeId: "sesn" }),
  "files: expired": (on) => fileSweep.listExpired(on, now, 500),
  "files: forgotten": (on) => fileSweep.deleteEmptied(on, now, 500),
  "files: unknown blobs": (on) => fileSweep.listUnknown(on, ["one", "two"]),
  ...logStatements,
};

interface Plan {
  "Node Type": string;
  "Relation Name"?: string;
  "Index Name"?: string;
  "Parent Relationship"?: string;
  Plans?: Plan[];
}

/** Depth first; only what reads a table or sorts. Versions differ in the rest. */
const steps = (plan: Plan): string[] => {
  const { "Node Type": type, "Relation Name": table, "Index Name": index, Plans = [] } = plan;
  const reads =
    table === undefined || type === "ModifyTable"
      ? []
      : [`${table} by ${index ?? (type === "Tid Scan" ? "its place" : "reading it all")}`];
  return [...(type.includes("Sort") ? ["sort"] : []), ...reads, ...Plans.flatMap(steps)];
};

/** The statements that `act` sends, explained instead of run. */
async function explain(db: Database, act: (on: Queryable) => Promise<unknown>): Promise<string[]> {
  const sent: Statement[] = [];
  const listener = { query: (statement: Statement) => (sent.push(statement), Promise.resolve([])) };
  await act(listener);
  assert.ok(sent.length > 0, "it sends no statement");
  return db.tx(async (tx) => {
    // The tables are empty: what is wanted is the way there is, not the way that is cheapest for nothing.
    for (const setting of ["seqscan", "bitmapscan", "hashjoin", "mergejoin", "material"])
      await tx.query({ text: `set local enable_${setting} = off`, values: [] });
    const found: string[] = [];
    for (const { text, values } of sent) {
      const [row] = await tx.query<{ "QUERY PLAN": [{ Plan: Plan }] }>({
        text: `explain (format json, costs off) ${text}`,
        values,
      });
      found.push(...(row === undefined ? [] : steps(row["QUERY PLAN"][0].Plan)));
    }
    return found;
  });
}

test("hot statements go the golden way", async (t) => {
  await using database = await testDatabase();
  // The table of bodies has no rows of its own, and no plan without a day.
  await database.db.query(sql`select request_bodies_make_day('2026-01-01')`);
  const lines: string[] = [];
  for (const [name, act] of Object.entries(hot)) {
    lines.push(name, ...(await explain(database.db, act)).map((step) => `  ${step}`));
  }
  const golden = join(import.meta.dirname, "explain.golden");
  t.assert.fileSnapshot(`${lines.join("\n")}\n`, golden, { serializers: [String] });
});

test("a statement without an index is seen", async () => {
  await using database = await testDatabase();
  const { db } = database;
  await db.query(sql`create table heap (id text, name text)`);
  const found = await explain(db, (on) => on.query(sql`select id from heap order by name limit 5`));
  assert.deepEqual(found, ["sort", "heap by reading it all"]);
});
