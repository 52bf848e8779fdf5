// A world for memory stores alone, and requests within it.
import type { Logger } from "../../kernel/base/logger.ts";
import type { World } from "../../kernel/context.ts";
import { openMetrics } from "../../kernel/observe/metrics.ts";
import { openOutsideConnections } from "../../kernel/http/outside/connections.ts";
import { openPeers } from "../../kernel/observe/peers.ts";
import type { Database } from "../../kernel/sql/database.ts";
import { sql } from "../../kernel/sql/statement.ts";

type Parts = Pick<World, "clock" | "random" | "ids" | "db" | "hints">;

/** Parts that no memory uses are not there. */
export function worldOf(
  { clock, random, ids, db, hints }: Parts,
  logger: Logger,
  sections: Readonly<Record<string, unknown>> = {},
): World {
  const absent = undefined as never;
  return {
    clock,
    random,
    ids,
    db,
    hints,
    logger,
    sections,
    blobs: absent,
    dataDirectory: absent,
    segmentOptions: absent,
    busOptions: absent,
    secrets: absent,
    passwords: absent,
    lookUpTxt: absent,
    metrics: openMetrics(),
    instruments: absent,
    outside: openOutsideConnections(),
    peers: openPeers(),
    server: {
      version: "0",
      startedAt: clock.now(),
      database: { kind: "external", version: "test" },
      workers: 3,
      proxies: 0,
      isDraining: false,
      isDrainOver: false,
      metricsToken: null,
    },
    publicUrl: "http://plinth.example",
  };
}

export async function addOrganization({ query }: Database, workspaces: readonly string[]) {
  await query(sql`insert into organizations (id, type, name, created_at)
    values ('org_1', 'platform', 'One', now())`);
  for (const id of workspaces) await addWorkspace({ query }, id);
}

export async function addWorkspace({ query }: Pick<Database, "query">, id: string) {
  await query(sql`insert into workspaces (id, organization_id, name, is_default, created_at)
    values (${id}, 'org_1', ${id}, false, now())`);
}
