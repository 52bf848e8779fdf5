// An upstream whose every byte is the test's, behind a whole house, and a client that shows each frame.
import assert from "node:assert/strict";
import { request, type IncomingMessage } from "node:http";
import { openHouse, type House } from "../house.ts";
import { fakeUpstream, type FakeUpstream } from "../upstreams/fake.ts";

export interface Lab extends AsyncDisposable {
  house: House;
  upstream: FakeUpstream;
}

const prices = { input: 10, output: 100 };
export const nanoOf = (input: number, output: number) =>
  input * prices.input + output * prices.output;

/** Two models on one upstream: `first` may fall back to `second`. */
export async function openLab(): Promise<Lab> {
  await using opening = new AsyncDisposableStack();
  const upstream = opening.use(await fakeUpstream());
  const house = opening.use(
    await openHouse({
      sections: {
        models: {
          upstreams: { own: { kind: "messages", base_url: upstream.url } },
          models: [
            { id: "first", upstream: "own", prices, allowed_fallback_models: ["second"] },
            { id: "second", upstream: "own", prices },
          ],
        },
      },
    }),
  );
  const closing = opening.move();
  return { house, upstream, [Symbol.asyncDispose]: () => closing.disposeAsync() };
}

export interface Event {
  type: string;
  [field: string]: unknown;
}

const usage = { input_tokens: 7, output_tokens: 1 };

/** An answer with these deltas; `refuses` with the classifier of the upstream. */
export function answerOf(
  model: string,
  texts: readonly string[],
  { refuses = false } = {},
): Event[] {
  const message = {
    id: "msg_up",
    type: "message",
    role: "assistant",
    model,
    content: [],
    stop_reason: null,
    stop_sequence: null,
    usage,
  };
  const details = refuses ? { type: "refusal", category: "bio", explanation: "no" } : null;
  return [
    { type: "message_start", message },
    { type: "content_block_start", index: 0, content_block: { type: "text", text: "" } },
    ...texts.map((text) => ({
      type: "content_block_delta",
      index: 0,
      delta: { type: "text_delta", text },
    })),
    { type: "content_block_stop", index: 0 },
    {
      type: "message_delta",
      delta: { stop_reason: refuses ? "refusal" : "end_turn", stop_details: details },
      usage: { output_tokens: texts.length },
    },
    { type: "message_stop" },
  ];
}

export interface Wire {
  newline?: string;
  named?: boolean;
}

export const frameOf = (event: Event, { newline = "\n", named = true }: Wire = {}): string =>
  `${named ? `event: ${event.type}${newline}` : ""}data: ${JSON.stringify(event)}${newline}${newline}`;

export const wireOf = (events: readonly Event[], wire: Wire = {}): Buffer =>
  Buffer.from(events.map((event) => frameOf(event, wire)).join(""));

export interface Received {
  status: number;
  requestId: string;
  /** The frames of a stream; one JSON body otherwise. */
  events: Event[];
  /** The connection broke in the middle. */
  broken: boolean;
}

export interface Asking {
  model?: string;
  text?: string;
  fallbacks?: readonly { model: string }[];
}

/** The head of a reply, with the body still to be read. */
export function openStream(
  { house }: Lab,
  { model = "first", text = "Hello", fallbacks }: Asking,
  signal?: AbortSignal,
): Promise<IncomingMessage> {
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  const outgoing = request(`${house.url}/v1/messages`, {
    method: "POST",
    agent: false,
    ...(signal && { signal }),
    headers: {
      "content-type": "application/json",
      "x-api-key": house.organizations.platform.api_key,
      "anthropic-version": "2023-06-01",
      ...(fallbacks && { "anthropic-beta": "server-side-fallback-2026-07-01" }),
    },
  });
  outgoing.once("response", resolve).once("error", reject);
  outgoing.end(
    JSON.stringify({
      model,
      max_tokens: 100,
      stream: true,
      messages: [{ role: "user", content: text }],
      ...(fallbacks && { fallbacks }),
    }),
  );
  return promise;
}

export async function receive(lab: Lab, asking: Asking): Promise<Received> {
  const response = await openStream(lab, asking);
  const chunks: Buffer[] = [];
  let broken = false;
  try {
    for await (const chunk of response) chunks.push(chunk as Buffer);
  } catch {
    broken = true;
  }
  const text = Buffer.concat(chunks).toString();
  const isStream = response.headers["content-type"]?.startsWith("text/event-stream") === true;
  return {
    status: response.statusCode ?? 0,
    requestId: String(response.headers["request-id"]),
    events: isStream ? eventsIn(text) : [JSON.parse(text) as Event],
    broken,
  };
}

/** Whole frames, each with a name that is its type. */
export function eventsIn(text: string): Event[] {
  const frames = text.split("\n\n");
  assert.equal(frames.pop(), "", "the last frame is not whole");
  return frames.map((frame) => {
    const [name, data, more] = frame.split("\n");
    assert.equal(more, undefined, frame);
    const event = JSON.parse(String(data).slice("data: ".length)) as Event;
    assert.equal(name, `event: ${event.type}`);
    return event;
  });
}
