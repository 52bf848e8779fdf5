// The real program with models and an MCP server that stop in the middle of requests, until it has been killed.
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import Anthropic from "@anthropic-ai/sdk";
import { sql } from "../../kernel/sql/statement.ts";
import { urlOf } from "../commands/plinth.ts";
import { scratch } from "../kernel/sql-harness.ts";
import { queryPosted } from "../posted.ts";
import { testDatabase } from "../postgres.ts";
import { toLoopback } from "../rules/mcp-house.ts";
import { openMcpServer, words } from "../rules/mcp-server.ts";
import { fakeUpstream, type ReplyWriter } from "../upstreams/fake.ts";
import { initOwner, nothingLeft, startPlinth, type Plinth } from "./plinth.ts";

/** Where a request stops: in a round, or while the tool is called between them. `ending`: all is said but the end. */
export type Place = "first-round" | "call" | "second-round" | "ending" | "nowhere";

const prices = { input: 1_000, output: 5_000 };
/** What each round of these models costs. */
export const roundNano = 100 * prices.input + 10 * prices.output;

export interface Row {
  model: string;
  kind: string;
  outcome: string;
  nano: number;
  reserve: number;
}

/** The upstream of a model with this name calls the servers itself. */
export const passing = "passing";

export type RoundsHouse = Awaited<ReturnType<typeof openRoundsHouse>>;

/** Each model has two rounds with a call between them, and stops at its place until `goOn`. */
export async function openRoundsHouse(places: Readonly<Record<string, Place>>) {
  await using opening = new AsyncDisposableStack();
  const reached = new Set<string>();
  const called: string[] = [];
  const held = Promise.withResolvers<void>();
  let mayHold = true;
  const hold = (model: string, place: Place): Promise<void> | undefined => {
    if (!mayHold || places[model] !== place) return undefined;
    reached.add(model);
    return held.promise;
  };
  const upstream = opening.use(await fakeUpstream((reply) => answer(reply, hold)));
  const docs = opening.use(
    await openMcpServer({
      search: {
        call: async ({ text }) => {
          called.push(String(text));
          await hold(String(text), "call");
          return words("Found.");
        },
      },
    }),
  );
  const database = opening.use(await testDatabase());
  const home = opening.use(scratch());
  const config = join(home.path, "plinth.config.json");
  const data = join(home.path, "data");
  const models = {
    upstreams: { barn: { kind: "messages", base_url: upstream.url } },
    models: Object.keys(places).map((id) => ({
      id,
      upstream: "barn",
      prices,
      ...(id === passing && { pass: ["mcp_servers", "mcp_toolset"] }),
    })),
  };
  writeFileSync(config, JSON.stringify({ network: toLoopback, ...models }));
  const env = { PLINTH_CONFIG: config, DATABASE_URL: urlOf(database) };
  const { api_key: apiKey } = await initOwner(data, [], { env });
  const start = () => startPlinth(data, { env, args: ["--workers", "1"] });
  let plinth: Plinth = await start();
  const closing = opening.move();
  return {
    reached,
    called,
    db: database.db,
    client: () =>
      new Anthropic({ baseURL: plinth.url, apiKey, maxRetries: 0, logLevel: "off" as const }),
    /** Names the server in a request to a model. */
    asking: (model: string) => ({
      model,
      max_tokens: 1_000,
      messages: [{ role: "user" as const, content: model }],
      mcp_servers: [{ type: "url" as const, name: "docs", url: docs.url }],
      tools: [{ type: "mcp_toolset" as const, mcp_server_name: "docs" }],
    }),
    /** Nothing stops any more in what is asked from here on. */
    goOn: () => {
      mayHold = false;
      held.resolve();
    },
    killed: () => plinth.killed(),
    stopped: () => plinth.stop(),
    started: async () => void (plinth = await start()),
    rows: () =>
      queryPosted<Row>(
        database.db,
        sql`select model, kind, outcome, amount_nano as nano, reserve_nano as reserve
          from ledger order by at, id`,
      ),
    [Symbol.asyncDispose]: async () => {
      held.resolve();
      assert.equal((await plinth.stop()).code, 0);
      await nothingLeft(home.path);
      await closing.disposeAsync();
    },
  };
}

interface AskedBody {
  model: string;
  stream?: boolean;
  messages: readonly { content: string | readonly { type: string }[] }[];
}

const usage = { input_tokens: 100, output_tokens: 10 };

async function answer(
  { received, head, chunk, end, reply }: ReplyWriter,
  hold: (model: string, place: Place) => Promise<void> | undefined,
): Promise<void> {
  const { model, stream, messages } = JSON.parse(received.body.toString()) as AskedBody;
  const isFirst = !messages.some(
    ({ content }) =>
      typeof content !== "string" && content.some(({ type }) => type === "tool_result"),
  );
  const place = isFirst ? "first-round" : "second-round";
  const content = isFirst
    ? [
        { type: "text", text: "Let me look." },
        { type: "tool_use", id: "toolu_1", name: "search", input: { text: model } },
      ]
    : [{ type: "text", text: "That is all." }];
  const stop = { stop_reason: isFirst ? "tool_use" : "end_turn", stop_sequence: null };
  const message = { id: "msg_1", type: "message", role: "assistant", model };
  if (stream !== true) {
    await hold(model, place);
    const whole = JSON.stringify({ ...message, content, ...stop, usage });
    const stopping = isFirst ? undefined : hold(model, "ending");
    if (stopping === undefined) return reply(200, whole);
    head(200, { "content-type": "application/json" });
    chunk(whole.slice(0, -1));
    await stopping;
    return end();
  }
  head(200);
  const say = (event: { type: string; [field: string]: unknown }) =>
    chunk(`event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`);
  const empty = { content: [], stop_reason: null, stop_sequence: null };
  say({
    type: "message_start",
    message: { ...message, ...empty, usage: { ...usage, output_tokens: 1 } },
  });
  for (const [index, block] of content.entries()) {
    say({
      type: "content_block_start",
      index,
      content_block: block.type === "text" ? { ...block, text: "" } : block,
    });
    const delta = { type: "text_delta", text: block.text };
    if (block.type === "text") say({ type: "content_block_delta", index, delta });
    if (index === 0) await hold(model, place);
    say({ type: "content_block_stop", index });
  }
  if (!isFirst) await hold(model, "ending");
  say({ type: "message_delta", delta: stop, usage: { output_tokens: usage.output_tokens } });
  say({ type: "message_stop" });
  end();
}
