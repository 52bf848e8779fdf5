// The clients of bench/sessions.ts, in a process of their own: turns of sessions, messages, and readers of streams.
import { answerQuestions } from "../helper.ts";

export type Question =
  | { kind: "sessions"; count: number }
  | { kind: "turns" | "messages"; atOnce: number; seconds: number; text: string }
  | { kind: "first event"; rounds: number }
  | { kind: "readers"; count: number };

export interface Ran {
  perSecond: number;
  p50: number;
}

const [, , url = "", headersText = "{}"] = process.argv;
const headers = {
  "content-type": "application/json",
  "anthropic-beta": "managed-agents-2026-04-01",
  ...(JSON.parse(headersText) as Record<string, string>),
};

async function ask<T>(method: string, path: string, body?: unknown): Promise<T> {
  const response = await fetch(url + path, {
    method,
    headers,
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  if (!response.ok)
    throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`);
  return (await response.json()) as T;
}

interface Made {
  id: string;
}

let made: Promise<{ agent: string; environment: string }> | undefined;
const sessions: string[] = [];

async function prepare() {
  const agent = await ask<Made>("POST", "/v1/agents", { name: "Bench", model: "sim-small" });
  const config = { type: "self_hosted" };
  const environment = await ask<Made>("POST", "/v1/environments", { name: "bench", config });
  return { agent: agent.id, environment: environment.id };
}

async function makeSession(): Promise<string> {
  const { agent, environment } = await (made ??= prepare());
  const body = { agent, environment_id: environment };
  return (await ask<Made>("POST", "/v1/sessions", body)).id;
}

const said = (text: string) => ({ type: "user.message", content: [{ type: "text", text }] });
const send = (id: string, text: string) =>
  ask("POST", `/v1/sessions/${id}/events`, { events: [said(text)] });

/** The names of the events of a stream, as they come. */
async function* namesOf(id: string, signal: AbortSignal): AsyncGenerator<string> {
  const response = await fetch(`${url}/v1/sessions/${id}/events/stream`, { headers, signal });
  const decoder = new TextDecoder();
  let rest = "";
  yield "open";
  for await (const chunk of response.body ?? []) {
    const lines = (rest + decoder.decode(chunk as Uint8Array, { stream: true })).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) if (line.startsWith("event: ")) yield line.slice("event: ".length);
  }
}

/** One session, turn after turn: each is sent when the one before has ended on the stream. */
async function talk(id: string, text: string, untilMs: number, tookMs: number[]): Promise<void> {
  const abort = new AbortController();
  let sentMs = 0;
  for await (const name of namesOf(id, abort.signal)) {
    if (name !== "open" && name !== "session.status_idle") continue;
    if (name !== "open") tookMs.push(performance.now() - sentMs);
    if (performance.now() > untilMs) break;
    sentMs = performance.now();
    await send(id, text);
  }
  abort.abort();
}

interface Turn {
  role: string;
  content: unknown;
}

/** The calls that a session makes of its model, by a client: a conversation that grows, is marked and streams. */
async function converse(text: string, untilMs: number, tookMs: number[]): Promise<void> {
  const turns: Turn[] = [];
  while (performance.now() < untilMs) {
    const sentMs = performance.now();
    turns.push({ role: "user", content: [{ type: "text", text }] });
    const body = {
      model: "sim-small",
      max_tokens: 1_000,
      stream: true,
      cache_control: { type: "ephemeral" },
      messages: turns,
    };
    const response = await fetch(`${url}/v1/messages`, {
      method: "POST",
      headers,
      body: JSON.stringify(body),
    });
    const said = await response.text();
    if (!said.includes("message_stop")) throw new Error(`messages: ${response.status} ${said}`);
    const words = [...said.matchAll(/"text_delta","text":("(?:[^"\\]|\\.)*")/g)];
    const answer = words.map(([, word = '""']) => JSON.parse(word) as string).join("");
    turns.push({ role: "assistant", content: [{ type: "text", text: answer }] });
    tookMs.push(performance.now() - sentMs);
  }
}

const medianOf = (values: readonly number[]) =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;

async function load(question: Extract<Question, { atOnce: number }>): Promise<Ran> {
  const { kind, atOnce, seconds, text } = question;
  const tookMs: number[] = [];
  const ids =
    kind === "turns" ? await Promise.all(Array.from({ length: atOnce }, makeSession)) : [];
  const startedMs = performance.now();
  const untilMs = startedMs + seconds * 1_000;
  await Promise.all(
    Array.from({ length: atOnce }, (_, at) =>
      kind === "turns"
        ? talk(ids[at] ?? "", text, untilMs, tookMs)
        : converse(text, untilMs, tookMs),
    ),
  );
  const took = (performance.now() - startedMs) / 1_000;
  return { perSecond: tookMs.length / took, p50: medianOf(tookMs) };
}

/** From sending to the first event that comes of it, on a session that was idle. */
async function firstEvent(rounds: number): Promise<number> {
  const tookMs: number[] = [];
  for (let round = 0; round < rounds; round++) {
    const id = sessions[Math.floor((round / rounds) * sessions.length)] ?? (await makeSession());
    const abort = new AbortController();
    let sentMs = 0;
    for await (const name of namesOf(id, abort.signal)) {
      if (name === "open") {
        sentMs = performance.now();
        await send(id, "hello");
      } else if (name === "span.model_request_start") {
        tookMs.push(performance.now() - sentMs);
      } else if (name === "session.status_idle") break;
    }
    abort.abort();
  }
  return medianOf(tookMs);
}

/** All of one session: how long until the last of them has an event that is sent. */
async function readers(count: number): Promise<number> {
  const id = await makeSession();
  const abort = new AbortController();
  const opened: PromiseWithResolvers<void>[] = [];
  const heard = Array.from({ length: count }, async (_, at) => {
    const open = (opened[at] = Promise.withResolvers<void>());
    for await (const name of namesOf(id, abort.signal)) {
      if (name === "open") open.resolve();
      if (name === "user.message") return;
    }
  });
  await Promise.all(opened.map(({ promise }) => promise));
  const sentMs = performance.now();
  await send(id, "hello");
  await Promise.all(heard);
  const took = performance.now() - sentMs;
  abort.abort();
  return took;
}

answerQuestions(async (asked): Promise<unknown> => {
  const question = asked as Question;
  switch (question.kind) {
    case "sessions":
      for (let at = 0; at < question.count; at++) sessions.push(await makeSession());
      return sessions.length;
    case "first event":
      return firstEvent(question.rounds);
    case "readers":
      return readers(question.count);
    default:
      return load(question);
  }
});
