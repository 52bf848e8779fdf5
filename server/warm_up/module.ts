// Has the server answer messages before it listens, until its code is warm: a first user is served like a later one.
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { Pool } from "undici";
import { systemClock } from "../../kernel/base/clock.ts";
import type { World } from "../../kernel/context.ts";
import type { Route } from "../../kernel/http/route.ts";
import { listen, type ListenOptions } from "../../kernel/http/wire/listen.ts";
import { openInstruments } from "../../kernel/observe/instruments.ts";
import { openLogger } from "../../kernel/observe/logger.ts";
import { openMetrics } from "../../kernel/observe/metrics.ts";
import { openPeers } from "../../kernel/observe/peers.ts";
import type { Database } from "../../kernel/sql/database.ts";
import { discardWrites } from "./discarded.ts";
import * as audit from "../audit/module.ts";
import * as keys from "../keys/module.ts";
import * as messages from "../messages/module.ts";
import * as models from "../models/module.ts";
import * as organizations from "../organizations/module.ts";
import * as usage from "../usage/module.ts";

/** A busy machine does not get that far, and starts in time; what is made for it takes 20 ms more. */
const requestsMax = 120;
const usualTimes = {
  askMsMax: 100,
  /** Of all of it: a database that is slow or goes away keeps no server from starting. */
  totalMsMax: 1_000,
};
const atOnce = 8;

type MakeApp = (
  world: World,
  options: { proxies: number; corsOrigins: readonly string[]; served: readonly Route[] },
) => Required<Pick<ListenOptions, "dispatch" | "leanPaths">>;

/**
 * All of it is real but for its two ends: an upstream of our own, and a database that forgets. So the request takes
 * the way of a user's, through key, limits and ledger, and leaves no row, no line and no count.
 */
export async function warmUp(
  world: World,
  makeApp: MakeApp,
  { askMsMax, totalMsMax }: typeof usualTimes = usualTimes,
): Promise<void> {
  const over = new AbortController();
  const late = async () => {
    if (!(await systemClock.sleep(totalMsMax, over.signal))) return;
    over.abort(new Error(`it took more than ${totalMsMax} ms`));
    throw over.signal.reason;
  };
  try {
    // What still runs when the time is up ends by the signal; the server does not wait for it.
    await Promise.race([warm(world, makeApp, askMsMax, over.signal), late()]);
  } catch (error) {
    world.logger.warn({ error: String(error) }, "the warm-up did not finish");
  } finally {
    over.abort();
  }
}

async function warm(
  world: World,
  makeApp: MakeApp,
  askMsMax: number,
  signal: AbortSignal,
): Promise<void> {
  await using upstream = await openUpstream();
  await discardWrites(world.db, signal, (db) =>
    askUntilWarm(trialWorld(world, db, upstream.url), makeApp, askMsMax),
  );
}

const model = "warm-up";

function trialWorld(world: World, db: Database, upstreamUrl: string): World {
  const { clock } = world;
  const destination = { write: () => {} };
  const prices = { input: 3_000, output: 15_000 };
  const metrics = openMetrics();
  return {
    ...world,
    db,
    logger: openLogger({ format: "json", level: "info", destination, clock }),
    metrics,
    instruments: openInstruments(metrics),
    peers: openPeers(),
    hints: { send: () => {}, listen: () => () => {}, close: () => Promise.resolve() },
    sections: {
      models: {
        models: [{ id: model, upstream: model, max_tokens: 1_024, prices }],
        upstreams: { [model]: { kind: "messages", base_url: upstreamUrl } },
      },
    },
  };
}

async function askUntilWarm(world: World, makeApp: MakeApp, askMsMax: number): Promise<void> {
  await using running = new AsyncDisposableStack();
  running.defer(() => world.instruments.close());
  const key = await issueKey(world);
  const catalog = models.catalogOf(world);
  await catalog.refresh();
  running.defer(models.catalogPart.start(world));
  running.defer(keys.verdictsOf(world).start());
  running.defer(() => usage.ledgerOf(world).drain());
  const { dispatch, leanPaths } = makeApp(world, {
    proxies: 0,
    corsOrigins: [],
    served: messages.routes,
  });
  const { ids } = world;
  const address = { host: "127.0.0.1", port: 0, exclusive: true };
  const server = await listen({ ...address, dispatch, leanPaths, ids });
  running.defer(async () => void (await server.drain(0)));
  const pool = new Pool(`http://127.0.0.1:${server.address.port}`, { connections: atOnce });
  running.defer(() => pool.close());
  const endMs = world.clock.monotonicMs() + askMsMax;
  let asked = 0;
  const ask = async () => {
    while (asked < requestsMax && world.clock.monotonicMs() < endMs)
      await askOnce(pool, key, asked++ % 3 === 2 ? streamed : whole);
  };
  // One first: where a single answer takes all the time, eight at once would take eight times as long.
  await askOnce(pool, key, whole);
  await Promise.all(Array.from({ length: atOnce }, ask));
}

async function askOnce(pool: Pool, key: string, body: string): Promise<void> {
  const headers = { "x-api-key": key, "content-type": "application/json" };
  const reply = await pool.request({ path: "/v1/messages", method: "POST", headers, body });
  const text = await reply.body.text();
  if (reply.statusCode !== 200) throw new Error(`${reply.statusCode}: ${text}`);
}

/** Of an organization of its own, that is rolled back with all the rest. */
function issueKey(world: World): Promise<string> {
  return world.db.tx(async (tx) => {
    const name = world.ids.next("warm-up ");
    const { operator } = audit;
    const organization = { name, type: "platform" } as const;
    const { id } = await organizations.createOrganization(tx, world, operator, organization);
    const { secret } = await keys.issueKey(tx, world, operator, {
      organizationId: id,
      kind: "api",
      name,
      createdBy: null,
    });
    return secret;
  });
}

const question = {
  model,
  max_tokens: 256,
  messages: [{ role: "user", content: [{ type: "text", text: "question ".repeat(100) }] }],
};
const whole = JSON.stringify(question);
const streamed = JSON.stringify({ ...question, stream: true });

async function openUpstream(): Promise<{ url: string } & AsyncDisposable> {
  const server = createServer(answer);
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen({ host: "127.0.0.1", port: 0, exclusive: true }, resolve);
  });
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    [Symbol.asyncDispose]: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

const answer: RequestListener = (request, response) => {
  let body = "";
  request.setEncoding("utf8").on("data", (part: string) => (body += part));
  request.on("end", () => {
    const isStream = body.includes('"stream":true');
    const type = isStream ? "text/event-stream" : "application/json";
    response.writeHead(200, { "content-type": type }).end(isStream ? streamedAnswer : wholeAnswer);
  });
};

const about = { id: "msg_warm", type: "message", role: "assistant", model };
const used = {
  input_tokens: 100,
  output_tokens: 40,
  cache_creation_input_tokens: 0,
  cache_read_input_tokens: 0,
};
const wholeAnswer = JSON.stringify({
  ...about,
  content: [{ type: "text", text: "an answer ".repeat(20) }],
  stop_reason: "end_turn",
  stop_sequence: null,
  usage: used,
});

const frame = (type: string, fields: object = {}) =>
  `event: ${type}\ndata: ${JSON.stringify({ type, ...fields })}\n\n`;
const begun = { ...about, content: [], stop_reason: null, stop_sequence: null, usage: used };
const words = { index: 0, delta: { type: "text_delta", text: "an answer " } };
const ended = { delta: { stop_reason: "end_turn", stop_sequence: null }, usage: used };
const streamedAnswer = [
  frame("message_start", { message: begun }),
  frame("content_block_start", { index: 0, content_block: { type: "text", text: "" } }),
  frame("content_block_delta", words).repeat(20),
  frame("content_block_stop", { index: 0 }),
  frame("message_delta", ended),
  frame("message_stop"),
].join("");
