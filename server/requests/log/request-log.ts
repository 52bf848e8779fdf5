// The request log of this process: what is noted of requests waits in memory and is written several times a second.
import { requestNote, type RequestNotes } from "../../../kernel/base/request-notes.ts";
import type { Actor, World } from "../../../kernel/context.ts";
import type { AnsweredRequest } from "../../../kernel/http/exchange/exchange.ts";
import { part } from "../../../kernel/work/parts.ts";
import { soon } from "../../../kernel/work/soon.ts";
import { upstreamTrafficPart } from "../../traffic/module.ts";
import { makeDays } from "../days.ts";
import { limits } from "../limits.ts";
import { AnswerRecord } from "./answer-record.ts";
import { loggedRequest, type RequestFacts } from "./logged-request.ts";
import { insertRequests, type LoggedRequest } from "./queries.ts";

export interface RequestLog {
  /** A request over HTTP has been answered. */
  noteAnswered(facts: AnsweredRequest): void;
  /** Work that came by no HTTP is over. */
  note(facts: RequestFacts): void;
  /** The row that would be noted: for work whose result is kept first. */
  take(facts: RequestFacts): LoggedRequest;
  add(row: LoggedRequest): void;
  /** Writes down what waits. */
  flush(): Promise<void>;
  /** From here on what comes is written by itself. */
  start(): void;
  /** Writes what waits, once what is being written is; afterwards nothing is written by itself. */
  stop(): Promise<void>;
}

const answerNote = requestNote<AnswerRecord>("answer");

/** Where the answer to a request is noted: one for all of its rounds. */
export function recordOf({ clock, notes }: Pick<Actor, "clock" | "notes">): AnswerRecord {
  const known = answerNote.of(notes);
  if (known !== undefined) return known;
  const made = new AnswerRecord(clock.monotonicMs());
  answerNote.set(notes, made);
  return made;
}

/** The same, where there is one. */
export const knownRecordOf = ({ notes }: { notes: RequestNotes }): AnswerRecord | undefined =>
  answerNote.of(notes);

function makeRequestLog(world: World): RequestLog {
  const { clock } = world;
  const writer = makeWriter(world);
  const upstreams = upstreamTrafficPart.of(world);

  function take(facts: RequestFacts): LoggedRequest {
    const record = knownRecordOf(facts);
    answerNote.set(facts.notes, undefined);
    if (record !== undefined) upstreams.count(facts.who.organizationId, record.attempts);
    return loggedRequest(facts, record);
  }

  function note(facts: RequestFacts): void {
    const record = knownRecordOf(facts);
    if (record === undefined) return writer.add(loggedRequest(facts, undefined));
    record.whenEnded(() => writer.add(take(facts)));
  }

  return {
    noteAnswered: (answered) => {
      const facts = factsOf(answered, clock.monotonicMs());
      if (facts !== undefined) note(facts);
    },
    note,
    take,
    ...writer,
  };
}

/** Absent, and left by its client. */
const untold: ReadonlySet<number> = new Set([404, 499]);

/**
 * Undefined where it is no row: people look at pages all the time, and who follows the log would fill it by that. A
 * look that failed is one: the page that says so leads to it. That something is not there, pages say without, and of
 * what they asked before a person went on nothing is said.
 */
function factsOf(answered: AnsweredRequest, nowMs: number): RequestFacts | undefined {
  const { who, method, seconds, ...facts } = answered;
  if (who === undefined) return undefined;
  const isConsole = who.kind === "console";
  const isPage = isConsole && (method === "GET" || method === "HEAD");
  const isLook = isPage || answered.operation.startsWith("requests.");
  if (isLook && (answered.status < 400 || untold.has(answered.status))) return undefined;
  return {
    ...facts,
    who,
    method,
    origin: isConsole ? "console" : who.kind === "session_token" ? "session" : "api",
    startMs: nowMs - seconds * 1000,
    endMs: nowMs,
    sessionId: who.worker?.sessionId ?? null,
  };
}

function makeWriter(world: World) {
  const { db, logger, instruments } = world;
  const days = makeDays(world);
  let waiting: LoggedRequest[] = [];
  let isFailing = false;

  async function flush(): Promise<void> {
    while (waiting.length > 0) {
      const rows = waiting.slice(0, limits.rowsAtOnce);
      waiting = waiting.slice(rows.length);
      try {
        await days.makeFor(rows);
        await insertRequests(db, rows);
        isFailing = false;
      } catch (error) {
        // Until the database is back; what would be too much is told apart by the metric.
        waiting = [...rows, ...waiting];
        days.forget();
        if (!isFailing)
          logger.warn(
            { error: String(error) },
            "the request log cannot be written, and is tried again",
          );
        isFailing = true;
        return;
      }
    }
  }

  const writing = soon(world, limits.writeWithinMs, {
    name: "writing the request log",
    act: flush,
    isLeft: () => waiting.length > 0,
  });
  return {
    add: (row: LoggedRequest): void => {
      if (waiting.length < limits.waitingRowsMax) waiting.push(row);
      else instruments.requestsNotLogged.with().inc();
      writing.ask();
    },
    flush,
    start: writing.start,
    stop: async () => {
      await writing.stop();
      await flush();
    },
  };
}

export const requestLogPart = part("request log", {
  needs: [upstreamTrafficPart],
  make: (world: World) => makeRequestLog(world),
  start: (_world, log) => {
    log.start();
    return () => log.stop();
  },
});

export const requestLogOf = requestLogPart.of;
