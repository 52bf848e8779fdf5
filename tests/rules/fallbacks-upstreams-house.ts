// A house whose models stand on an upstream of the test's own: each model's answer is what the test says.
import { fakeUpstream, type ReplyWriter, type FakeUpstream } from "../upstreams/fake.ts";
import { sql } from "../../kernel/sql/statement.ts";
import { openHouse, type Answer } from "../house.ts";
import { streamed, type Asking } from "./fallbacks-house.ts";
import { queryPosted } from "../posted.ts";

export const text = (words: string) => ({ type: "text", text: words });

/** What a model of this house's upstream answers, whole or as a stream. */
export interface ScriptedAnswer {
  content?: readonly { type: string; [field: string]: unknown }[];
  stop?: string;
  usage?: object;
  /** An error in place of an answer. */
  status?: number;
  /** An error behind the message_start of a stream. */
  error?: string;
}

export interface AskedBody {
  messages: { role: string; content: unknown }[];
}

export type ModelAnswer = (body: AskedBody) => ScriptedAnswer | Promise<ScriptedAnswer>;

const refusalDetails = { type: "refusal", category: "cyber", explanation: null };

export const refusalWith = (words: string, usage: object = {}): ScriptedAnswer => ({
  content: words === "" ? [] : [text(words)],
  stop: "refusal",
  usage,
});

async function answer(
  { received: asked, head, chunk, end, reply }: ReplyWriter,
  models: Map<string, ModelAnswer>,
) {
  const body = JSON.parse(asked.body.toString()) as AskedBody & {
    model: string;
    stream?: boolean;
  };
  const said = (await models.get(body.model)?.(body)) ?? {};
  const { status, content = [text("All of it.")], stop = "end_turn", usage = {}, error } = said;
  if (status !== undefined) {
    const refused = { type: "invalid_request_error", message: "Not like this." };
    reply(status, JSON.stringify({ type: "error", error: refused }));
    return;
  }
  const details = { stop_reason: stop, stop_details: stop === "refusal" ? refusalDetails : null };
  const counted = { input_tokens: 100, output_tokens: 10, ...usage };
  const message = { id: "msg_1", type: "message", role: "assistant", model: body.model };
  if (body.stream !== true) {
    const whole = { ...message, content, ...details, stop_sequence: null, usage: counted };
    reply(200, JSON.stringify(whole));
    return;
  }
  head(200);
  const say = (event: { type: string; [field: string]: unknown }) =>
    chunk(`event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`);
  const began = { ...counted, output_tokens: 1 };
  const empty = { content: [], stop_reason: null, stop_sequence: null, usage: began };
  say({ type: "message_start", message: { ...message, ...empty } });
  if (error !== undefined) {
    say({ type: "error", error: { type: error, message: "Not now." } });
    end();
    return;
  }
  for (const [index, block] of content.entries()) {
    const words = block.type === "text" ? String(block["text"]) : undefined;
    const content_block = words === undefined ? block : { ...block, text: "" };
    say({ type: "content_block_start", index, content_block });
    for (const word of words?.split(/(?<= )/) ?? [])
      say({ type: "content_block_delta", index, delta: { type: "text_delta", text: word } });
    say({ type: "content_block_stop", index });
  }
  const { output_tokens } = counted;
  const delta = { stop_sequence: null, ...details };
  say({ type: "message_delta", delta, usage: { output_tokens } });
  say({ type: "message_stop" });
  end();
}

interface Row {
  model: string;
  kind: string;
  outcome: string;
  input: number;
  output: number;
  written: number;
  read: number;
  nano: number;
  list: number;
  estimated: boolean;
}

export type UpstreamsHouse = Awaited<ReturnType<typeof openUpstreamsHouse>>;

/** `entries` are of the catalog: each may fall back to all others, and costs 1,000 and 5,000 a token. */
export async function openUpstreamsHouse(
  entries: readonly { id: string; [field: string]: unknown }[],
  sections: Record<string, unknown> = {},
) {
  const models = new Map<string, ModelAnswer>();
  const upstream: FakeUpstream = await fakeUpstream((answering) => answer(answering, models));
  const house = await openHouse({
    sections: {
      ...sections,
      models: {
        upstreams: { barn: { kind: "messages", base_url: upstream.url } },
        models: entries.map(({ id, ...fields }) => ({
          id,
          upstream: "barn",
          prices: { input: 1_000, output: 5_000 },
          allowed_fallback_models: entries.map((entry) => entry.id).filter((name) => name !== id),
          ...fields,
        })),
      },
    },
  });
  const { api_key: key } = house.organizations.platform;
  return {
    house,
    models,
    upstream,
    post: (sent: object, { betas = [] }: Asking = {}): Promise<Answer> =>
      house.ask("POST", "/v1/messages", {
        key,
        headers: { "anthropic-beta": betas.join(",") },
        body: { max_tokens: 300, ...sent },
      }),
    rowsOf: ({ headers }: Pick<Answer, "headers">) =>
      queryPosted<Row>(
        house.world.db,
        sql`select model, kind, outcome, input_tokens as input,
        output_tokens as output, cache_write_5m_tokens + cache_write_1h_tokens as written,
        cache_read_tokens as read, amount_nano as nano, list_amount_nano as list, estimated
        from ledger where request_id = ${headers.get("request-id")} order by id`,
      ),
    /** The messages that the upstream was sent last. */
    heard: () => (JSON.parse(String(upstream.requests.at(-1)?.body)) as AskedBody).messages,
    [Symbol.asyncDispose]: async () => {
      await house[Symbol.asyncDispose]();
      await upstream[Symbol.asyncDispose]();
    },
  };
}

/** What came whole, or what a stream adds up to: blocks, usage, and how it ended. */
export function answerParts(answer: Answer) {
  if (typeof answer.body !== "string") {
    const { content, usage, stop_reason, stop_details } = answer.body;
    return { content, usage, stop_reason, stop_details };
  }
  const { events, end } = streamed(answer);
  const content: { type: string; text?: string }[] = [];
  for (const { type, index, content_block, delta } of events) {
    if (type === "content_block_start") content[index] = { ...content_block };
    const block = content[index];
    if (type === "content_block_delta" && block !== undefined) block.text += delta.text;
  }
  return { content, usage: end?.usage, ...end?.delta };
}
