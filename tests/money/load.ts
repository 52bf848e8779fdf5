// Clients that ask without end, leave, break off and meet dead servers, and note what each of them saw.
import { request, type IncomingMessage } from "node:http";
import type { Random } from "../../kernel/base/random.ts";
import type { Part, Question } from "./upstream.ts";

/**
 * How a request ended for its client; `abandoned`: it left before a byte came, as clients do whose patience is over;
 * `dead`: the connection broke, and the end is unknown.
 */
export type ClientOutcome = "answered" | "failed" | "left" | "abandoned" | "refused" | "dead";

export interface RequestReport {
  question: Question;
  stream: boolean;
  seen: ClientOutcome;
  status: number;
  /** The code of the error that was told, or its words where it has none. */
  reason: string | undefined;
  requestId: string | undefined;
  /** Which server it asked, and until when. */
  url: string;
  endedMs: number;
  /** Of one that leaves without having seen its request id: its rows in the ledger bear it as `inference_geo`. */
  tag: string | undefined;
  /** Deltas that arrived. */
  deltas: number;
}

export interface Load {
  reports: RequestReport[];
  stop(): Promise<void>;
}

export interface Caller {
  name: string;
  key: string;
  /** How many requests it has open at a time. */
  parallel: number;
}

const refusedPauseMs = 50;
/** About as long as an answer takes: some leave before it begins. */
const patienceMsMax = 40;
const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

/** `urlOf` names a server that lives, as far as is known. */
export function runLoad(callers: readonly Caller[], urlOf: () => string, random: Random): Load {
  const reports: RequestReport[] = [];
  const over = new AbortController();
  const askOn = async ({ name, key }: Caller, number: number) => {
    for (let count = 0; !over.signal.aborted; count++) {
      const question = questionOf(`${name} ${number}/${count}`, random);
      const story: RequestReport = {
        question,
        stream: random.fraction() < 0.8,
        seen: "dead",
        status: 0,
        reason: undefined,
        requestId: undefined,
        url: urlOf(),
        endedMs: 0,
        tag: random.fraction() < 0.15 ? `left-${number}-${reports.length}` : undefined,
        deltas: 0,
      };
      reports.push(story);
      const patienceMs = story.tag === undefined ? undefined : random.fraction() * patienceMsMax;
      const leavesAfter = random.fraction() < 0.15 ? Math.floor(random.fraction() * 6) : Infinity;
      await ask(key, story, { leavesAfter, patienceMs });
      story.endedMs = performance.now();
      if (story.seen === "refused" || story.seen === "dead") await pause(refusedPauseMs);
    }
  };
  const running = Promise.all(
    callers.flatMap((caller) =>
      Array.from({ length: caller.parallel }, (_, number) => askOn(caller, number)),
    ),
  );
  return {
    reports,
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

async function ask(
  key: string,
  story: RequestReport,
  { leavesAfter, patienceMs }: { leavesAfter: number; patienceMs: number | undefined },
): Promise<void> {
  const gone = new AbortController();
  const leaving = patienceMs === undefined ? undefined : setTimeout(() => gone.abort(), patienceMs);
  try {
    const response = await open(key, story, gone.signal);
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
    if (gone.signal.aborted) story.seen = story.requestId === undefined ? "abandoned" : "left";
    else story.seen = "dead";
  } finally {
    clearTimeout(leaving);
  }
}

function conclude(story: RequestReport, text: string): void {
  if (story.status !== 200) {
    const { error } = JSON.parse(text) as {
      error: { message: string; details?: { error_code?: string } };
    };
    story.reason = error.details?.error_code ?? error.message;
    story.seen = story.status === 529 ? "failed" : "refused";
  } else if (!story.stream || text.includes("event: message_stop")) story.seen = "answered";
  else story.seen = text.includes("event: error") ? "failed" : "dead";
}

function open(
  key: string,
  { question, stream, url, tag }: RequestReport,
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
      ...(tag !== undefined && { inference_geo: tag }),
    }),
  );
  return promise;
}
