// The upstream that counts: it does what the question says, and keeps its own account of each attempt.
import { once } from "node:events";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** What one attempt is to do, as the question says for each model. */
export interface Part {
  deltas: number;
  ending: "end" | "refuse" | "break" | "fail";
}

export interface Question {
  id: string;
  parts: Readonly<Record<string, Part>>;
}

/** What the upstream says that an attempt has cost. */
export interface Attempt {
  model: string;
  input: number;
  /** What it says that it wrote; for one that broke, what it has written. */
  output: number;
  ending: Part["ending"];
}

export interface CountingUpstream extends AsyncDisposable {
  url: string;
  /** By the id of the question, in order. */
  attempts: ReadonlyMap<string, readonly Attempt[]>;
}

const pauseMs = 4;
export const inputTokens = 7;

export async function countingUpstream(): Promise<CountingUpstream> {
  const attempts = new Map<string, Attempt[]>();
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const body = JSON.parse(Buffer.concat(chunks).toString()) as Body;
      const question = JSON.parse(body.messages[0]?.content ?? "") as Question;
      const part = question.parts[body.model] ?? { deltas: 1, ending: "end" };
      // Only a stream can break in the middle.
      const isWhole = body.stream !== true;
      const ending = part.ending === "break" && isWhole ? "end" : part.ending;
      const attempt: Attempt = { model: body.model, input: inputTokens, output: 0, ending };
      const known = attempts.get(question.id);
      if (known === undefined) attempts.set(question.id, [attempt]);
      else known.push(attempt);
      void answer(response, body, part, attempt);
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    attempts,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}

interface Body {
  model: string;
  stream?: boolean;
  messages: { content: string }[];
}

async function answer(
  response: ServerResponse,
  { model, stream = false }: Body,
  { deltas, ending }: Part,
  attempt: Attempt,
): Promise<void> {
  const pause = () => new Promise((resolve) => setTimeout(resolve, pauseMs));
  if (ending === "fail") return fail(response);
  const message = {
    id: "msg_up",
    type: "message",
    role: "assistant",
    model,
    content: [] as object[],
    stop_reason: null as string | null,
    stop_sequence: null,
    stop_details: null as object | null,
    usage: { input_tokens: attempt.input, output_tokens: 0 },
  };
  const stop_reason = ending === "refuse" ? "refusal" : "end_turn";
  const details = { type: "refusal", category: "bio", explanation: null };
  const stop_details = ending === "refuse" ? details : null;
  if (!stream) {
    for (let count = 0; count < deltas; count++) await pause();
    attempt.output = deltas;
    const content = deltas === 0 ? [] : [{ type: "text", text: "abc ".repeat(deltas) }];
    const usage = { ...message.usage, output_tokens: deltas };
    response.writeHead(200, { "content-type": "application/json" });
    response.end(JSON.stringify({ ...message, content, stop_reason, stop_details, usage }));
    return;
  }
  response.writeHead(200, { "content-type": "text/event-stream" });
  const say = (event: { type: string; [field: string]: unknown }) =>
    response.write(`event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`);
  say({ type: "message_start", message });
  if (deltas > 0)
    say({ type: "content_block_start", index: 0, content_block: { type: "text", text: "" } });
  for (let count = 0; count < deltas; count++) {
    await pause();
    if (response.destroyed) return;
    say({ type: "content_block_delta", index: 0, delta: { type: "text_delta", text: "abc " } });
    attempt.output += 1;
  }
  if (ending === "break") return void response.end();
  if (deltas > 0) say({ type: "content_block_stop", index: 0 });
  const usage = { output_tokens: deltas };
  say({ type: "message_delta", delta: { stop_reason, stop_sequence: null, stop_details }, usage });
  say({ type: "message_stop" });
  response.end();
}

function fail(response: ServerResponse): void {
  const error = { type: "overloaded_error", message: "Busy." };
  response.writeHead(529, { "content-type": "application/json" });
  response.end(JSON.stringify({ type: "error", error }));
}
