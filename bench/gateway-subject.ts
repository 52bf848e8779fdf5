// One gateway of bench/gateway.ts in a process of its own: a bare relay, or the whole server with everything on.
import { mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Pool } from "undici";
import { openLogger } from "../kernel/observe/logger.ts";
import { initialize } from "../server/installation.ts";
import { serveHere } from "../server/serve.ts";
import { testDatabase } from "../tests/postgres.ts";

const [, , kind, upstream = ""] = process.argv;
const stop = kind === "bare" ? bare() : await plinth();

process.on("message", (message) => {
  if (message === "stop") void Promise.resolve(stop()).then(() => process.exit(0));
  const { user, system } = process.cpuUsage();
  if (message === "cpu") process.send?.(user + system);
});

/** A key in a set, the body parsed, the bytes forwarded, the answer relayed. */
function bare() {
  const pool = new Pool(upstream, { connections: 64 });
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
  return () => server.closeAllConnections();
}

/** Keys, limits, ledger, log: as `plinth start` has it. */
async function plinth() {
  const directory = mkdtempSync(join(tmpdir(), "plinth-bench-"));
  const database = await testDatabase();
  const prices = { input: 3000, output: 15_000 };
  const running = await serveHere(
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
      logger: openLogger({ format: "json", level: "info" }),
      sections: {
        models: {
          models: [{ id: "bench", upstream: "bench", max_tokens: 64_000, prices }],
          upstreams: { bench: { kind: "messages", base_url: upstream } },
        },
      },
    },
    { kind: "external", serverVersion: "test", ...database },
  );
  running.count();
  const { world } = running.opened;
  const made = await initialize(world, { organization: "b", type: "platform", email: "a@b" });
  process.send?.({ url: running.url, key: made.api_key });
  return async () => {
    await running.stop();
    await database[Symbol.asyncDispose]();
    rmSync(directory, { recursive: true, force: true });
  };
}
