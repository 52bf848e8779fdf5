// One server of bench/http.ts in a process of its own: bare node:http, or the whole kernel with real keys.
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import Type from "typebox";
import { makeDispatch } from "../kernel/http/dispatch.ts";
import { listen } from "../kernel/http/wire/listen.ts";
import { closed, route } from "../kernel/http/route.ts";
import { openLogger } from "../kernel/observe/logger.ts";
import { makeAuthentication } from "../server/identity/module.ts";
import { initialize } from "../server/organization-setup.ts";
import * as keys from "../server/keys/module.ts";
import { makeRequestLogger } from "../server/operations/module.ts";
import { trafficPart } from "../server/traffic/module.ts";
import { openWorld } from "../server/world.ts";
import { testDatabase } from "../tests/postgres.ts";

const stop = process.argv[2] === "bare" ? await bare() : await kernel(process.argv[2] === "kernel");

process.on("message", (message) => {
  if (message === "stop") void stop().then(() => process.exit(0));
  const { user, system } = process.cpuUsage();
  if (message === "cpu") process.send?.(user + system);
});

/** The plain server that ten lines give: a key in a map, JSON in and out. */
async function bare() {
  const known = new Set(["Bearer secret"]);
  const server = createServer((request, response) => {
    if (!known.has(request.headers.authorization ?? "")) {
      response.writeHead(401).end();
      return;
    }
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const body: unknown = chunks.length > 0 ? JSON.parse(String(Buffer.concat(chunks))) : null;
      const text = JSON.stringify({ id: "bench", echo: body });
      const headers = {
        "content-type": "application/json",
        "content-length": Buffer.byteLength(text),
      };
      response.writeHead(200, headers);
      response.end(text);
    });
  });
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  process.send?.({ url: `http://127.0.0.1:${port}`, key: "secret" });
  return async () => server.closeAllConnections();
}

/** The real thing: credential, dialect, permission, schemas, metrics and, with `log`, a line a request. */
async function kernel(log: boolean) {
  const directory = mkdtempSync(join(tmpdir(), "plinth-bench-"));
  const database = await testDatabase();
  const logger = openLogger({ format: "json", level: log ? "info" : "silent" });
  const { world, close } = await openWorld({
    dataDirectory: directory,
    publicUrl: "",
    masterKey: undefined,
    metricsToken: null,
    workers: 1,
    logger,
    database: { kind: "external", serverVersion: "test", ...database },
  });
  const made = await initialize(world, { organization: "bench", type: "platform", email: "a@b" });
  const stopVerdicts = keys.verdictsOf(world).start();
  const Body = closed({
    name: Type.String({ maxLength: 100 }),
    count: Type.Integer(),
    labels: Type.Array(Type.String()),
  });
  const common = {
    path: "/v1/bench",
    summary: "A trivial route.",
    permission: "messages:use",
    reply: Type.Unknown(),
  } as const;
  const routes = [
    route({
      ...common,
      operation: "bench.get",
      method: "GET",
      handle: () => ({ id: "bench", echo: null }),
    }),
    route({
      ...common,
      operation: "bench.post",
      method: "POST",
      body: Body,
      handle: (_context, { body }) => ({ id: "bench", echo: body }),
    }),
  ];
  const onAnswered = makeRequestLogger(
    world,
    world.instruments,
    trafficPart.of(world),
    () => undefined,
  );
  const dispatch = makeDispatch({
    routes,
    world,
    authentication: makeAuthentication(world),
    onAnswered,
  });
  const listening = await listen({ host: "127.0.0.1", port: 0, dispatch, ids: world.ids });
  const url = `http://127.0.0.1:${listening.address.port}`;
  process.send?.({ url, key: made.api_key });
  return async () => {
    await listening.drain(1000);
    await stopVerdicts();
    await close();
    await database[Symbol.asyncDispose]();
    rmSync(directory, { recursive: true, force: true });
  };
}
