// A house between clients that leave and an upstream whose every byte is the test's: what the ledger says afterwards.
import assert from "node:assert/strict";
import { request, type IncomingMessage } from "node:http";
import { sql } from "../../kernel/sql/statement.ts";
import { openHouse, type HouseOptions } from "../house.ts";
import { fakeUpstream } from "../upstreams/fake.ts";
import { until } from "./support.ts";
import { queryPosted } from "../posted.ts";

export const prices = { input: 10, output: 100 };

export interface LedgerRow {
  model: string;
  kind: string;
  outcome: string;
  estimated: boolean;
  input: number;
  output: number;
  nano: number;
  list: number;
}

export type MessagesHouse = Awaited<ReturnType<typeof openMessagesHouse>>;

/** `ours` and `spare` speak messages, `chatty` speaks chat completions, `mimic` is simulated. */
export async function openMessagesHouse(options: HouseOptions = {}) {
  const upstream = await fakeUpstream();
  const own = { upstream: "own", prices };
  const house = await openHouse({
    ...options,
    sections: {
      models: {
        upstreams: {
          own: { kind: "messages", base_url: upstream.url },
          words: { kind: "chat", base_url: upstream.url },
          closed: { kind: "messages", base_url: "http://127.0.0.1:9" },
          house: { kind: "simulator" },
        },
        models: [
          { id: "ours", ...own, allowed_fallback_models: ["spare"] },
          { id: "spare", ...own },
          { id: "guarded", ...own, guard: "spare" },
          {
            id: "ruled",
            ...own,
            classifiers: [{ category: null, on: "input", pattern: "poison" }],
          },
          { id: "chatty", upstream: "words", prices, thinking: ["adaptive", "disabled"] },
          { id: "refused", upstream: "closed", prices },
          { id: "mimic", upstream: "house", prices },
        ],
      },
      ...options.sections,
    },
  });
  const { db } = house.world;
  const rows = () =>
    queryPosted<LedgerRow>(
      db,
      sql`select model, kind, outcome, estimated, input_tokens as input,
      output_tokens as output, amount_nano as nano, list_amount_nano as list
      from ledger order by id`,
    );
  const opens = async () => {
    const [row] = await queryPosted<{ count: number }>(
      db,
      sql`select count(*)::int as count from ledger_opens`,
    );
    return row?.count ?? 0;
  };

  /** Sends a message, and gives what its client holds: the way to leave, and what came. */
  function begin(body: object, headers: Record<string, string> = {}) {
    const gone = new AbortController();
    const answered = Promise.withResolvers<IncomingMessage>();
    answered.promise.catch(() => {});
    const outgoing = request(`${house.url}/v1/messages`, {
      method: "POST",
      agent: false,
      signal: gone.signal,
      headers: {
        "content-type": "application/json",
        "x-api-key": house.organizations.platform.api_key,
        ...headers,
      },
    });
    outgoing.on("error", answered.reject).once("response", answered.resolve);
    outgoing.end(JSON.stringify({ max_tokens: 100, ...question("Well?"), ...body }));
    return { answered: answered.promise, leave: () => gone.abort() };
  }

  /** The rows that come to the ledger while `act` runs, until nothing is open any more. */
  async function rowsOf(act: () => Promise<void>, count = 1): Promise<LedgerRow[]> {
    const before = (await rows()).length;
    await act();
    return until(async () => {
      const found = (await rows()).slice(before);
      return (await opens()) === 0 && found.length >= count && found;
    }, `${count} settled hops`);
  }

  return {
    house,
    upstream,
    begin,
    rows,
    rowsOf,
    opens,
    /** Until the upstream has so many more questions than before. */
    heard: (before: number) =>
      until(async () => upstream.requests.length > before, "the upstream is asked"),
    [Symbol.asyncDispose]: async () => {
      await house[Symbol.asyncDispose]();
      await upstream[Symbol.asyncDispose]();
    },
  };
}

/** By this server's count: 3 for the turn, and a quarter of its bytes. */
export const countedInput = (text: string) => 3 + Math.ceil(Buffer.byteLength(text) / 4);

export const question = (text: string) => ({ messages: [{ role: "user", content: text }] });

export const frameOf = (event: { type: string; [field: string]: unknown }) =>
  `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`;

export const startFrame = (usage: unknown = { input_tokens: 7, output_tokens: 1 }) =>
  frameOf({
    type: "message_start",
    message: {
      id: "msg_up",
      type: "message",
      role: "assistant",
      model: "theirs",
      content: [],
      stop_reason: null,
      stop_sequence: null,
      usage,
    },
  });

/** One block of an answer, in these pieces. */
export function blockFrames(
  pieces: readonly string[],
  kind: "text" | "thinking" | "tool_use" = "text",
) {
  const delta = (piece: string) =>
    kind === "text"
      ? { type: "text_delta", text: piece }
      : kind === "thinking"
        ? { type: "thinking_delta", thinking: piece }
        : { type: "input_json_delta", partial_json: piece };
  const block =
    kind === "tool_use"
      ? { type: kind, id: "toolu_1", name: "look", input: {} }
      : { type: kind, [kind]: "" };
  return [
    frameOf({ type: "content_block_start", index: 0, content_block: block }),
    ...pieces.map((piece) =>
      frameOf({ type: "content_block_delta", index: 0, delta: delta(piece) }),
    ),
    frameOf({ type: "content_block_stop", index: 0 }),
  ];
}

export const endFrames = (usage?: unknown, stop_reason = "end_turn") =>
  frameOf({
    type: "message_delta",
    delta: { stop_reason, stop_sequence: null },
    ...(usage !== undefined && { usage }),
  }) + frameOf({ type: "message_stop" });

/** The answer's events, or its message, and the row. */
export async function askForAnswer(
  h: MessagesHouse,
  body: object,
  headers: Record<string, string> = {},
): Promise<{ answer: string; row: LedgerRow }> {
  let answer = "";
  const [row = assert.fail("no row")] = await h.rowsOf(async () => {
    const response = await h.begin({ max_tokens: 20_000, ...body }, headers).answered;
    for await (const chunk of response) answer += String(chunk);
    assert.equal(response.statusCode, 200, answer);
  });
  return { answer, row };
}

export const countedFields = ({ outcome, estimated, input, output }: LedgerRow) => [
  outcome,
  estimated,
  input,
  output,
];
