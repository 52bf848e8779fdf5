// Clients that ask without end, leave, break off and meet dead servers, and note what each of them saw.
import { request, type IncomingMessage } from "node:http";
import type { Random } from "../../kernel/base/random.ts";
import type { Part, Question } from "./upstream.ts";

/** How a request ended for its client; `dead`: the connection broke, and nobody can say. */
export type Seen = "answered" | "failed" | "left" | "refused" | "dead";

export interface Told {
  question: Question;
  stream: boolean;
  seen: Seen;
  status: number;
  code: string | undefined;
  requestId: string | undefined;
  /** Deltas that arrived. */
  deltas: number;
}

export interface Load {
  told: Told[];
  stop(): Promise<void>;
}

export interface Caller {
  name: string;
  key: string;
  lanes: number;
}

const refusedPauseMs = 50;
const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

/** `urlOf` names a server that lives, as far as anybody knows. */
export function runLoad(callers: readonly Caller[], urlOf: () => string, random: Random): Load {
  const told: Told[] = [];
  const over = new AbortController();
  const lane = async ({ name, key }: Caller, number: number) => {
    for (let count = 0; !over.signal.aborted; count++) {
      const question = questionOf(`${name} ${number}/${count}`, random);
      const story: Told = {
        question,
        stream: random.fraction() < 0.8,
        seen: "dead",
        status: 0,
        code: undefined,
        requestId: undefined,
        deltas: 0,
      };
      told.push(story);
      const leavesAfter = random.fraction() < 0.15 ? Math.floor(random.fraction() * 6) : Infinity;
      await ask(urlOf(), key, story, leavesAfter);
      if (story.seen === "refused" || story.seen === "dead") await pause(refusedPauseMs);
    }
  };
  const running = Promise.all(
    callers.flatMap((caller) =>
      Array.from({ length: caller.lanes }, (_, number) => lane(caller, number)),
    ),
  );
  return {
    told,
    stop: async () => {
      over.abort();
      await running;
    },
  };
}

function questionOf(id: string, random: Random): Question {
  const chance = random.fraction();
  const part = (ending: Part["ending"], least = 1): Part => ({
    deltas: Math.max(0, least + Math.floor(random.fraction() * 8)),
    ending,
  });
  const second = random.fraction() < 0.2 ? part("fail") : part("end");
  if (chance < 0.4) return { id, parts: { first: part("end") } };
  if (chance < 0.75) return { id, parts: { first: part("refuse", chance < 0.5 ? -8 : 1), second } };
  if (chance < 0.82) return { id, parts: { first: part("refuse"), second: part("refuse", 0) } };
  if (chance < 0.92) return { id, parts: { first: part("break") } };
  return { id, parts: { first: part("fail") } };
}

async function ask(url: string, key: string, story: Told, leavesAfter: number): Promise<void> {
  const gone = new AbortController();
  try {
    const response = await open(url, key, story, gone.signal);
    story.status = response.statusCode ?? 0;
    story.requestId = String(response.headers["request-id"]);
    let text = "";
    for await (const chunk of response) {
      text += String(chunk);
      story.deltas = text.split('"text_delta"').length - 1;
      if (story.stream && story.deltas > leavesAfter) {
        story.seen = "left";
        gone.abort();
        return;
      }
    }
    conclude(story, text);
  } catch {
    story.seen = "dead";
  }
}

function conclude(story: Told, text: string): void {
  if (story.status !== 200) {
    const { error } = JSON.parse(text) as { error: { details?: { error_code?: string } } };
    story.code = error.details?.error_code;
    story.seen = story.status === 529 ? "failed" : "refused";
  } else if (!story.stream || text.includes("event: message_stop")) story.seen = "answered";
  else story.seen = text.includes("event: error") ? "failed" : "dead";
}

function open(
  url: string,
  key: string,
  { question, stream }: Told,
  signal: AbortSignal,
): Promise<IncomingMessage> {
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  const outgoing = request(`${url}/v1/messages`, {
    method: "POST",
    agent: false,
    signal,
    headers: {
      "content-type": "application/json",
      "x-api-key": key,
      "anthropic-beta": "server-side-fallback-2026-07-01",
    },
  });
  outgoing.once("response", resolve).on("error", reject);
  outgoing.end(
    JSON.stringify({
      model: "first",
      max_tokens: 30,
      stream,
      messages: [{ role: "user", content: JSON.stringify(question) }],
      fallbacks: [{ model: "second" }],
    }),
  );
  return promise;
}
