// What the tests of the audit log's export share: events, sinks, and whether what came is the log, whole, in order.
import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer, type IncomingHttpHeaders, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { sql } from "../../kernel/sql/statement.ts";
import type { World } from "../../kernel/context.ts";
import type { Database } from "../../kernel/sql/database.ts";
import * as audit from "../../server/audit/module.ts";
import { until } from "./support.ts";

export interface ExportedLine {
  id: string;
  type: string;
  organization_id: string;
  action: string;
  sequence: number;
  details: Record<string, unknown>;
}

/** One transaction for all of them. */
export const writeEvents = (
  world: World,
  { organization_id: organizationId }: { organization_id: string },
  names: readonly string[],
): Promise<void> =>
  world.db.tx(async (tx) => {
    for (const name of names)
      await audit.record(tx, world, audit.operator, {
        organizationId,
        action: `thing.${name}`,
        details: { name },
      });
  });

export function scratchDirectory(): Disposable & { path: string } {
  const path = mkdtempSync(`${tmpdir()}/plinth-audit-export-`);
  return { path, [Symbol.dispose]: () => rmSync(path, { recursive: true, force: true }) };
}

/** Whole lines that are JSON; `torn` is the rest. */
export function readLines(text: string): { lines: ExportedLine[]; torn: string[] } {
  const torn: string[] = [];
  const lines = text
    .split("\n")
    .filter((line) => line !== "")
    .flatMap((line) => {
      try {
        return [JSON.parse(line) as ExportedLine];
      } catch {
        torn.push(line);
        return [];
      }
    });
  return { lines, torn };
}

export const linesOfFile = (path: string): ExportedLine[] => readLines(textOf(path)).lines;

export function textOf(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}

const keyOf = ({ organization_id, sequence }: ExportedLine) => `${organization_id} ${sequence}`;

export const repeatsIn = (lines: readonly ExportedLine[]): number =>
  lines.length - new Set(lines.map(keyOf)).size;

/** Each event of the database is there, for the first time behind the one before it; answers how many there are. */
export async function expectWholeLogs(
  db: Database,
  lines: readonly ExportedLine[],
): Promise<number> {
  const rows = await db.query<{ organization_id: string; sequence: number; id: string }>(sql`
    select organization_id, seq as sequence, id from audit_events order by organization_id, seq`);
  const ids = new Map(rows.map((row) => [`${row.organization_id} ${row.sequence}`, row.id]));
  const reached = new Map<string, number>();
  for (const line of lines) {
    assert.equal(line.id, ids.get(keyOf(line)), `${keyOf(line)} is in the log of the database`);
    const last = reached.get(line.organization_id) ?? 0;
    assert.ok(line.sequence <= last + 1, `${keyOf(line)} came behind ${last}`);
    reached.set(line.organization_id, Math.max(last, line.sequence));
  }
  const heads = Map.groupBy(rows, ({ organization_id }) => organization_id);
  for (const [organization, events] of heads)
    assert.equal(reached.get(organization) ?? 0, events.length, `all of ${organization} came`);
  return rows.length;
}

/** Until nothing more is to come, by what the export itself keeps. */
export const untilExported = (db: Database, name = "default"): Promise<true> =>
  until(async () => {
    const [row] = await db.query<{ waiting: number }>(sql`
      select count(*)::integer as waiting from audit_heads head
      left join audit_export_cursors done
        on done.name = ${name} and done.organization_id = head.organization_id
      where head.seq > coalesce(done.sequence, 0)`);
    return row?.waiting === 0;
  }, "the export to be done");

export interface Post {
  headers: IncomingHttpHeaders;
  body: string;
}

/** Takes every post unless it is told otherwise. */
export async function openSink() {
  const posts: Post[] = [];
  const taken: Post[] = [];
  type Answer = (response: ServerResponse, post: Post) => unknown;
  let answer: Answer | undefined;
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const post = { headers: request.headers, body: Buffer.concat(chunks).toString() };
      posts.push(post);
      if (answer === undefined) {
        taken.push(post);
        response.writeHead(200).end();
      } else answer(response, post);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  server.unref();
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/take/hidden-in-the-path`,
    posts,
    /** All that were answered with 200. */
    lines: () => taken.flatMap(({ body }) => readLines(body).lines),
    answers: (how: Answer | undefined) => {
      answer = how;
    },
    [Symbol.asyncDispose]: () =>
      new Promise<void>((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}
