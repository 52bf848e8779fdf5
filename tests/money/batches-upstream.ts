// The upstream of the chaos of batches: no two answers are alike, it takes few requests at once, and fails at times.
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { Random } from "../../kernel/base/random.ts";

/** `cut`: the client was gone before the answer. */
export type Fate = "open" | "answered" | "refused" | "cut";

export interface Call {
  /** The custom id of the request. */
  item: string;
  /** The process that asked, by the path that it was given. */
  server: string;
  begunMs: number;
  endedMs: number;
  fate: Fate;
  /** What the answer says that it has cost; the input is a number of its own for each call. */
  input: number;
  output: number;
}

export interface BusyUpstream extends AsyncDisposable {
  url: string;
  /** In the order in which they began. */
  calls: readonly Call[];
  /** Items that were answered once at least. */
  answered: ReadonlySet<string>;
}

/** More at a time are refused: about as many as 300 answers a second need. */
const atOnceMax = 48;
const answerMs = { least: 30, most: 150 };
const chances = { busy: 0.03, broken: 0.03 };
/** So that a number tells which call it was, for any item. */
const firstInput = 1_000;

/** Items called `bad-…` are refused each time, those called `sick-…` with an error that asks for no other attempt. */
export async function busyUpstream(random: Random): Promise<BusyUpstream> {
  const calls: Call[] = [];
  const answered = new Set<string>();
  const open = new Set<Call>();
  const serve = async (request: IncomingMessage, response: ServerResponse) => {
    const { model, messages } = JSON.parse(await bodyOf(request)) as Body;
    const call: Call = {
      item: messages[0]?.content ?? "",
      server: (request.url ?? "").split("/")[1] ?? "",
      begunMs: performance.now(),
      endedMs: Infinity,
      fate: "open",
      input: firstInput + calls.length,
      output: 1 + Math.floor(random.fraction() * 9),
    };
    calls.push(call);
    open.add(call);
    const end = (fate: Fate) => {
      if (!open.delete(call)) return;
      call.fate = fate;
      call.endedMs = performance.now();
      if (fate === "answered") answered.add(call.item);
    };
    response.once("close", () => end("cut"));
    await answer(response, { call, model, isFull: open.size > atOnceMax, end }, random);
  };
  const server = createServer((request, response) => {
    // Who is killed while its question comes in has asked nothing.
    serve(request, response).catch(() => response.destroy());
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    calls,
    answered,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}

interface Body {
  model: string;
  messages: { content: string }[];
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  let text = "";
  request.setEncoding("utf8");
  for await (const chunk of request) text += String(chunk);
  return text;
}

interface Asked {
  call: Call;
  model: string;
  isFull: boolean;
  end(fate: Fate): void;
}

async function answer(
  response: ServerResponse,
  { call, model, isFull, end }: Asked,
  random: Random,
): Promise<void> {
  const refuse = (status: number, type: string, headers: Record<string, string> = {}) => {
    end("refused");
    response.writeHead(status, { "content-type": "application/json", ...headers });
    response.end(JSON.stringify({ type: "error", error: { type, message: `Not ${call.item}.` } }));
  };
  if (call.item.startsWith("bad-")) return refuse(400, "invalid_request_error");
  if (call.item.startsWith("sick-")) return refuse(500, "api_error", { "x-should-retry": "false" });
  if (isFull) return refuse(429, "rate_limit_error", { "retry-after-ms": "60" });
  const chance = random.fraction();
  if (chance < chances.busy) return refuse(429, "rate_limit_error", { "retry-after-ms": "200" });
  const { least, most } = answerMs;
  const pauseMs = least + random.fraction() * (most - least);
  await new Promise((resolve) => setTimeout(resolve, pauseMs));
  if (call.fate !== "open") return;
  if (chance < chances.busy + chances.broken) return refuse(500, "api_error");
  end("answered");
  response.writeHead(200, { "content-type": "application/json" });
  response.end(
    JSON.stringify({
      id: `msg_up_${call.input}`,
      type: "message",
      role: "assistant",
      model,
      content: [{ type: "text", text: `${call.item} `.repeat(call.output) }],
      stop_reason: "end_turn",
      stop_sequence: null,
      usage: { input_tokens: call.input, output_tokens: call.output },
    }),
  );
}
