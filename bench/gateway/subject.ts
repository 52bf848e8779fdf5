// One gateway of bench/gateway.ts in a process of its own: a bare relay, or the whole server with everything on.
import { chmodSync, mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Pool } from "undici";
import { openLogger } from "../../kernel/observe/logger.ts";
import { type Database, openPool } from "../../kernel/sql/database.ts";
import { openEmbedded } from "../../kernel/sql/embedded/embedded.ts";
import { migrate } from "../../kernel/sql/migrate.ts";
import { preparedAs, sql } from "../../kernel/sql/statement.ts";
import { initialize } from "../../server/organization-setup.ts";
import { serveInProcess } from "../../server/serve.ts";
import { checkBooks } from "../../tests/books.ts";

const [, , kind, upstream = ""] = process.argv;
const subject = kind === "bare" ? bare() : await plinth();

process.on("message", (message) => {
  if (message === "insert") void subject.insert().then((us) => process.send?.(us));
  if (message === "stop") void Promise.resolve(subject.stop()).then(() => process.exit(0));
});

/** A key in a set, the body parsed, the bytes forwarded, the answer relayed. */
function bare() {
  const pool = new Pool(upstream, { connections: 4_096 });
  const known = new Set(["secret"]);
  const server = createServer((request, response) => {
    if (!known.has(String(request.headers["x-api-key"]))) {
      response.writeHead(401).end();
      return;
    }
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const body = Buffer.concat(chunks);
      const { model } = JSON.parse(body.toString()) as { model: string };
      if (typeof model !== "string") throw new Error("no model");
      pool.dispatch(
        {
          path: "/v1/messages",
          method: "POST",
          headers: { "content-type": "application/json" },
          body,
        },
        {
          onRequestStart: () => {},
          onResponseStart: (_controller, status) =>
            void response.writeHead(status, { "content-type": "application/json" }),
          onResponseData: (_controller, chunk) => void response.write(chunk),
          onResponseEnd: () => void response.end(),
          onResponseError: () => void response.destroy(),
        },
      );
    });
  });
  server.listen(0, "127.0.0.1", () => {
    const { port } = server.address() as AddressInfo;
    process.send?.({ url: `http://127.0.0.1:${port}`, key: "secret" });
  });
  return { insert: async () => Number.NaN, stop: () => server.closeAllConnections() };
}

/** Keys, limits, ledger, log: as `plinth start` has it, with a database of its own that is durable. */
async function plinth() {
  const directory = mkdtempSync(join(tmpdir(), "plinth-bench-"));
  // The database of root's server runs under another user, who must get through.
  chmodSync(directory, 0o755);
  const logger = openLogger({ format: "json", level: "info" });
  const database = await openEmbedded({ directory: join(directory, "data"), logger });
  const { connection } = database;
  const db = openPool({ connection, connectionsMax: 2, logger });
  await migrate(db, join(import.meta.dirname, "../../migrations"), { logger });
  await db.query(sql`create table plain (id text collate "C" primary key, at timestamptz)`);
  const prices = { input: 3000, output: 15_000 };
  // The upstream takes spans as well as anything else.
  const tracing = { endpoint: upstream, headers: {}, serviceName: "bench", sendTo: ["bench"] };
  const server = await serveInProcess(
    {
      dataDirectory: directory,
      host: "127.0.0.1",
      port: 0,
      publicUrl: undefined,
      databaseUrl: undefined,
      masterKey: undefined,
      metricsToken: null,
      workers: 1,
      drainSeconds: 1,
      proxies: 0,
      logging: { format: "json", level: "info" },
      ...(kind === "traced" && { tracing }),
      logger,
      sections: {
        models: {
          models: [{ id: "bench", upstream: "bench", max_tokens: 64_000, prices }],
          upstreams: { bench: { kind: "messages", base_url: upstream } },
        },
      },
    },
    { kind: "external", serverVersion: "test", db, connection },
  );
  const { world } = server.opened;
  const made = await initialize(world, { organization: "b", type: "platform", email: "a@b" });
  process.send?.({ url: server.url, key: made.api_key, postgres: database.pid() });
  return {
    insert: () => plainInserts(db),
    stop: async () => {
      await server.stop();
      await checkBooks(db);
      await db.close();
      await database.release();
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

/** The middle of how long one narrow row takes by itself, in microseconds: the least that anything durable costs. */
async function plainInserts(db: Database): Promise<number> {
  const times: number[] = [];
  for (let row = 0; row < 400; row++) {
    const beganMs = performance.now();
    await db.query(
      preparedAs("plain", sql`insert into plain values (${`row_${row}_${beganMs}`}, now())`),
    );
    times.push((performance.now() - beganMs) * 1000);
  }
  return times.sort((a, b) => a - b)[200] ?? Number.NaN;
}
