// Follows a session until it rests: prints what happens, asks the person, interrupts at Ctrl-C.
import { answerText, type Asked, type QuestionAnswer } from "../../client/sessions/questions.ts";
import { plural } from "../../client/text/words.ts";
import { ApiError, type Client, type StreamEvent } from "../../contract/client.ts";
import type { Session, SessionEvent } from "../../contract/types.ts";
import type { Flags } from "../options.ts";
import { withServerErrors } from "../server-calls.ts";
import { CliError, exitCodes, type Terminal } from "../terminal.ts";
import { askPerson, makeCalls, type NewEvent, type WaitingCall } from "./calls.ts";
import { followEvents } from "./follow.ts";
import { hasBudgetLeft, nextCommand, object, words } from "./format.ts";
import { makeEventPrinter, makeJsonPrinter, type EventPrinter } from "./print-events.ts";

export interface Turn {
  session: Session;
  /** What is said first; undefined where only what is under way is followed. */
  text: string | undefined;
  flags: Flags;
  /** A person is asked, and Ctrl-C interrupts; else it just leaves. */
  isAttended: boolean;
}

interface Scope extends Turn {
  terminal: Terminal;
  client: Client;
  printer: EventPrinter;
  interrupting: AbortController;
  leaving: AbortController;
}

export async function followTurn(terminal: Terminal, client: Client, turn: Turn): Promise<void> {
  const [interrupting, leaving] = [new AbortController(), new AbortController()];
  const isJson = turn.flags.json === true;
  const printer = isJson ? makeJsonPrinter(terminal, turn.session) : makeEventPrinter(terminal);
  const scope: Scope = { ...turn, terminal, client, printer, interrupting, leaving };
  const release = terminal.onInterrupt(() => onInterrupt(scope));
  const { id } = turn.session;
  let reason: string;
  try {
    reason = await withServerErrors(client, () => untilRest(scope));
  } catch (error) {
    if (!leaving.signal.aborted) throw error;
    const again = nextCommand(`run --session ${id}`, turn.flags);
    throw new CliError(`The session may run on. See it again: ${again}`, exitCodes.interrupted);
  } finally {
    release();
  }
  if (interrupting.signal.aborted) throw new CliError("Interrupted.", exitCodes.interrupted);
  const why = failures[reason]?.(id, turn.flags);
  if (why !== undefined) throw new CliError(why);
}

const failures: Record<string, (id: string, flags: Flags) => string> = {
  refusal: () => "The agent's model refused. Say it otherwise; the session goes on without it.",
  retries_exhausted: () => "The turn was given up after the error above. Say how to go on.",
  budget_reached: (id, flags) =>
    `The budget is used up. Raise it, and the session goes on: ${nextCommand(`update ${id} --budget DOLLARS`, flags)}`,
  terminated: () => "The session has ended for good.",
  deleted: () => "The session was deleted.",
};

function onInterrupt(scope: Scope): void {
  const { terminal, printer, isAttended, interrupting, leaving } = scope;
  if (!isAttended || interrupting.signal.aborted) return leaving.abort();
  interrupting.abort();
  printer.endLine();
  // Behind a question, and behind the ^C that the terminal shows.
  terminal.note("\nInterrupting the session; Ctrl-C again leaves at once.\n");
  send(scope, { type: "user.interrupt" }).catch((error: Error) =>
    terminal.note(`The interrupt did not get through: ${error.message}\n`),
  );
}

const send = (
  { client, session, leaving }: Pick<Scope, "client" | "session" | "leaving">,
  event: NewEvent,
) =>
  client.sessions.events.send({
    params: { session_id: session.id },
    body: { events: [event] },
    signal: leaving.signal,
  });

/** Answers how the turn ended. */
async function untilRest(scope: Scope): Promise<string> {
  const ended = new AbortController();
  try {
    return await followUntilRest(scope, ended.signal);
  } finally {
    // A connection that stays open would keep the process alive.
    ended.abort();
  }
}

async function followUntilRest(scope: Scope, ended: AbortSignal): Promise<string> {
  const { terminal, client, printer, session, text, flags, leaving } = scope;
  const { id } = session;
  const calls = makeCalls(client, id);
  const rest = await newestStatus(scope);
  const events = await followEvents(terminal, client, {
    sessionId: id,
    after: rest?.id,
    // A pipe gets what is said in whole messages: a text that breaks off is written anew.
    isLive: flags.json !== true && terminal.isPerson.output,
    signal: AbortSignal.any([leaving.signal, ended]),
  });
  const rests = makeRests(scope, calls);
  if (text !== undefined)
    await send(scope, { type: "user.message", content: [{ type: "text", text }] });
  let reason = await rests.before(rest);
  if (reason === undefined)
    for await (const event of events) {
      printer.take(event);
      calls.take(event);
      reason = await rests.at(event);
      if (reason !== undefined) break;
    }
  if (reason !== undefined && reason !== "deleted")
    printer.finish(await client.sessions.retrieve({ params: { session_id: id } }), reason);
  return reason ?? "deleted";
}

const statusTypes = [
  "session.status_idle",
  "session.status_running",
  "session.status_rescheduled",
  "session.status_terminated",
] as const;

async function newestStatus({ client, session }: Scope): Promise<SessionEvent | undefined> {
  const params = { session_id: session.id };
  const query = { order: "desc" as const, limit: 1, types: [...statusTypes] };
  const { data } = await client.sessions.events.list({ params, query });
  return data[0];
}

function makeRests(scope: Scope, calls: ReturnType<typeof makeCalls>) {
  const { terminal, printer, session, interrupting, isAttended, text } = scope;
  let isWorkerNamed = false;

  async function atIdle(event: StreamEvent): Promise<string | undefined> {
    const reason = reasonOf(event);
    if (reason !== "requires_action") return reason;
    if (interrupting.signal.aborted) return undefined;
    const waiting = await calls.waiting(event);
    const forPerson = waiting.filter(({ needs }) => needs !== "worker");
    printer.endLine();
    if (forPerson.length > 0 && !(isAttended && hasPerson(terminal)))
      throw nobodyThere(scope, forPerson);
    for (const call of forPerson) {
      if (!(await answerCall(scope, call))) return undefined;
    }
    const isForWorker = waiting.some(({ needs }) => needs === "worker");
    if (isForWorker && !isWorkerNamed)
      terminal.note(`${terminal.dim("Waiting for a worker of the environment.")}\n`);
    isWorkerNamed ||= isForWorker;
    return undefined;
  }

  return {
    /** A message does not set off a session whose calls wait: nothing more will come by itself. */
    before: async (event: StreamEvent | undefined): Promise<string | undefined> => {
      if (event?.type === "session.status_terminated") return "terminated";
      if (event?.type !== "session.status_idle") return undefined;
      const reason = reasonOf(event);
      const waits = reason === "requires_action";
      // It goes on by itself in a moment.
      if (reason === "budget_reached" && hasBudgetLeft(session)) return undefined;
      return text === undefined || waits ? atIdle(event) : undefined;
    },
    /** One idle event may be followed by the next turn: the newest says that the session rests. */
    at: async (event: StreamEvent): Promise<string | undefined> => {
      if (event.type === "session.status_terminated") return "terminated";
      if (event.type === "session.deleted") return "deleted";
      if (event.type !== "session.status_idle") return undefined;
      const newest = await newestStatus(scope);
      return newest?.id === event["id"] ? atIdle(event) : undefined;
    },
  };
}

const reasonOf = (idle: StreamEvent): string => words(object(idle["stop_reason"])["type"]);

const hasPerson = ({ isPerson }: Terminal) => isPerson.input && isPerson.notes;

/** False where the person interrupted instead. The call may have been answered elsewhere while the person thought. */
async function answerCall(scope: Scope, call: WaitingCall): Promise<boolean> {
  for (;;) {
    const answer = await askPerson(scope.terminal, call, scope.interrupting.signal);
    if (answer === undefined) return false;
    try {
      await send(scope, answer);
      return true;
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      const isAnswered = error.code === "tool_call_not_pending";
      // The server knows more rules of a form than are asked here.
      if (!isAnswered && (call.asked === undefined || error.status !== 400)) throw error;
      scope.terminal.note(
        isAnswered ? gone[call.asked === undefined ? "call" : "question"] : `${error.message}\n`,
      );
      if (isAnswered) return true;
    }
  }
}

/** A server may go on without an answer, as when a page tells it that all is done there. */
const gone = {
  call: "It was answered elsewhere meanwhile.\n",
  question: "No answer is waited for any more: it came from elsewhere, or the server went on.\n",
};

function nobodyThere({ terminal, session, flags }: Scope, waiting: readonly WaitingCall[]) {
  for (const { id, needs, text, asked } of waiting) {
    const answer = needs === "confirmation" ? "confirm" : "answer";
    const json = asked && `'${answerText(declined(asked))}'`;
    const what = needs === "confirmation" ? "allow" : (json ?? "TEXT");
    const command = nextCommand(`${answer} ${session.id} ${id} ${what}`, flags);
    terminal.note(`waits: ${text}\n  ${command}\n`);
  }
  return new CliError(
    `${plural(waiting.length, "call")} of ${session.id} must be answered first. Then go on: ${nextCommand(`run --session ${session.id}`, flags)}`,
    exitCodes.waiting,
  );
}

/** The answer that fits all questions, to be written anew. */
const declined = ({ questions }: Asked): Record<string, QuestionAnswer> =>
  Object.fromEntries(questions.map(({ key }) => [key, { action: "decline" as const }]));
