// What clients send: judged against the calls that wait, and made into events.
import assert from "node:assert/strict";
import { forbidden, invalid, notFound } from "../../../kernel/base/failure.ts";
import type { Ids } from "../../../kernel/base/ids.ts";
import type { NewEvent } from "../../../kernel/log/log.ts";
import { AnswerProblem, readAnswers, type Questions } from "../../mcp_client/module.ts";
import { limits } from "../limits.ts";
import type { LockedSession } from "../queries.ts";
import type { OpenCall } from "../events/queries.ts";
import { newEventId, visible, type EventData } from "../events/drafts.ts";
import type { ClientEventInput } from "./schema.ts";

export interface AcceptedEvent {
  event: NewEvent & { id: string };
  /** Whom it is for; the session's own thread has it too. */
  threadIds: readonly string[];
}

export interface Accepted {
  events: AcceptedEvent[];
  /** Calls that were answered, as they are now. */
  answered: OpenCall[];
  /** What still waits for a client, in the order of the calls. */
  open: OpenCall[];
  /** Threads in which a call was allowed that this server runs. */
  begun: string[];
  hasInput: boolean;
  hasInterrupt: boolean;
  outcomes: { id: string; description: string }[];
}

type Session = Pick<LockedSession, "threadId" | "environmentType">;

interface AcceptContext {
  calls: readonly OpenCall[];
  /** What MCP servers have asked, by the events that are answered. */
  questions: ReadonlyMap<string, Questions>;
  /** They come from a worker, and no person has seen what is asked. */
  isWorker: boolean;
  /** Those that have not ended. */
  threads: readonly { id: string }[];
  ids: Ids;
  now: Date;
  /** Where they stand in the body. */
  field: string;
}

/** A request is taken whole or not at all: the first thing that is wrong refuses it. */
export function acceptEvents(
  given: readonly ClientEventInput[],
  session: Session,
  { calls, questions, isWorker, threads, ids, now, field }: AcceptContext,
): Accepted {
  const open = new Map(calls.map((call) => [call.eventId, call]));
  const accepted: Accepted = {
    events: [],
    answered: [],
    open: [],
    begun: [],
    hasInput: false,
    hasInterrupt: false,
    outcomes: [],
  };
  for (const [index, event] of given.entries()) {
    const path = `${field}.${index}`;
    expectSize(event, path);
    const scope: Scope = {
      accepted,
      open,
      questions,
      isWorker,
      session,
      threads,
      path,
      ids,
      threadIds: [],
    };
    const data = acceptOne(event, scope);
    if (event.type === "system.message") {
      expectPlace(given, index, path);
      // It is told with what it stands behind, wherever that goes.
      scope.threadIds = [...(accepted.events.at(-1)?.threadIds ?? [])];
    }
    const waits = isInput(event) || (event.type === "system.message" && isInput(given[index - 1]));
    const { threadIds } = scope;
    const [child, ...others] = threadIds.filter((id) => id !== session.threadId);
    // What is for all is as it was sent; what is for one says for which.
    const isForOne = child !== undefined && others.length === 0 && threadIds.length === 1;
    const told = isForOne ? { ...data, session_thread_id: child } : data;
    const stored = visible(newEventId(ids), told, waits ? undefined : now);
    accepted.events.push({ event: stored, threadIds });
  }
  accepted.open = [...open.values()];
  return accepted;
}

export const inputTypes: readonly string[] = ["user.message", "user.define_outcome"];

export const isInput = (event: ClientEventInput | undefined): boolean =>
  event !== undefined && inputTypes.includes(event.type);

interface Scope {
  accepted: Accepted;
  open: Map<string, OpenCall>;
  questions: AcceptContext["questions"];
  isWorker: boolean;
  session: Session;
  threads: readonly { id: string }[];
  path: string;
  ids: Ids;
  /** Threads that the event is for; the session's own alone where it is empty. */
  threadIds: string[];
}

/** What is kept of it. Throws what is wrong with it. */
function acceptOne(event: ClientEventInput, scope: Scope): EventData {
  if (event.type === "user.message") scope.accepted.hasInput = true;
  if (event.type === "user.define_outcome") return acceptOutcome(event, scope);
  if (event.type === "user.interrupt") acceptInterrupt(event, scope);
  if (event.type === "user.tool_confirmation") acceptConfirmation(event, scope);
  if (event.type === "user.tool_result") acceptResult(event, scope);
  if (event.type === "user.custom_tool_result") acceptCustomResult(event, scope);
  return event;
}

type Of<Type extends ClientEventInput["type"]> = Extract<ClientEventInput, { type: Type }>;

function acceptOutcome(event: Of<"user.define_outcome">, { accepted, ids }: Scope): EventData {
  const outcome = {
    ...event,
    outcome_id: ids.next("outc_"),
    max_iterations: event.max_iterations ?? limits.iterationsDefault,
  };
  accepted.hasInput = true;
  accepted.outcomes.push({ id: outcome.outcome_id, description: outcome.description });
  return outcome;
}

/** Without the name of a thread it is for all. */
function acceptInterrupt(
  { session_thread_id: named = null }: Of<"user.interrupt">,
  scope: Scope,
): void {
  const { accepted, threads, path } = scope;
  const threadIds = threads.map(({ id }) => id);
  if (named !== null && !threadIds.includes(named))
    throw notFound(`thread that ${path}.session_thread_id names,`, named);
  scope.threadIds = named === null ? threadIds : [named];
  accepted.hasInterrupt = true;
}

/** Who denies answers the call; who allows leaves it to those who run it. */
function acceptConfirmation(event: Of<"user.tool_confirmation">, scope: Scope): void {
  const { accepted, path } = scope;
  if (event.result === "allow" && event.deny_message != null)
    throw invalid(`${path}.deny_message: is only taken with the result deny; leave it out.`);
  const call = callOf(scope, "tool_use_id", event.tool_use_id);
  if (!call.needsConfirmation)
    throw invalid(`${path}.tool_use_id: ${call.eventId} waits for no confirmation.`, {
      code: "tool_call_not_pending",
    });
  const needsResult = event.result === "allow" && call.kind === "built_in";
  if (event.result === "allow" && call.kind === "server") accepted.begun.push(call.threadId);
  answer(scope, { ...call, needsConfirmation: false, needsResult });
}

function acceptResult(event: Of<"user.tool_result">, scope: Scope): void {
  const { path } = scope;
  const call = callOf(scope, "tool_use_id", event.tool_use_id);
  if (call.kind === "custom" || call.kind === "question")
    throw invalid(
      `${path}.tool_use_id: ${call.eventId} is a call of a custom tool; answer it with user.custom_tool_result.`,
    );
  if (call.kind === "server")
    throw invalid(
      `${path}.tool_use_id: ${call.eventId} is run by this server, and its result comes from it.`,
    );
  if (call.needsConfirmation)
    throw invalid(
      `${path}.tool_use_id: ${call.eventId} waits for a user.tool_confirmation before it may be run.`,
      { code: "tool_confirmation_pending" },
    );
  answer(scope, { ...call, needsResult: false });
}

function acceptCustomResult(event: Of<"user.custom_tool_result">, scope: Scope): void {
  const call = callOf(scope, "custom_tool_use_id", event.custom_tool_use_id);
  if (call.kind === "question") {
    if (scope.isWorker)
      throw forbidden(
        `${scope.path}.custom_tool_use_id: ${call.eventId} is what an MCP server asks a person, and a worker answers for none; use an API key of the workspace.`,
      );
    expectAnswers(event, scope);
    scope.accepted.begun.push(call.threadId);
  } else if (call.kind !== "custom")
    throw invalid(
      `${scope.path}.custom_tool_use_id: ${call.eventId} is no call of a custom tool; ${answerOf(call)}`,
    );
  answer(scope, { ...call, needsResult: false });
}

/** What its server has asked for is there, and fits (rule SES146). */
function expectAnswers(
  { custom_tool_use_id: id, content, is_error: isError }: Of<"user.custom_tool_result">,
  { questions, path }: Scope,
): void {
  const asked = questions.get(id);
  assert(asked !== undefined, "the questions of a call that waits were read");
  if (isError === true)
    throw invalid(
      `${path}.is_error: an MCP server has asked, and takes no error; answer with the action decline or cancel.`,
    );
  const [block, ...others] = content ?? [];
  if (block?.type !== "text" || others.length > 0)
    throw invalid(`${path}.content: must be one block of text, with the answers as JSON.`);
  try {
    readAnswers(asked, block.text);
  } catch (error) {
    if (error instanceof AnswerProblem) throw invalid(`${path}.content.0.text: ${error.message}`);
    throw error;
  }
}

function answerOf({ kind, needsConfirmation }: OpenCall): string {
  if (needsConfirmation) return "it waits for a user.tool_confirmation.";
  return kind === "server"
    ? "it is run by this server, and its result comes from it."
    : "answer it with user.tool_result.";
}

function callOf({ open, path }: Scope, field: string, id: string): OpenCall {
  const call = open.get(id);
  if (call !== undefined) return call;
  throw invalid(
    `${path}.${field}: no call ${JSON.stringify(id)} waits in this session; it is unknown or has been answered.`,
    { code: "tool_call_not_pending" },
  );
}

function answer(scope: Scope, call: OpenCall): void {
  const { accepted, open } = scope;
  scope.threadIds = [call.threadId];
  accepted.answered = accepted.answered.filter(({ eventId }) => eventId !== call.eventId);
  accepted.answered.push(call);
  if (call.needsConfirmation || call.needsResult) open.set(call.eventId, call);
  else open.delete(call.eventId);
}

const mayPrecede = ["user.message", "user.tool_result", "user.custom_tool_result"];

function expectPlace(given: readonly ClientEventInput[], index: number, path: string): void {
  const before = given[index - 1];
  if (index !== given.length - 1)
    throw invalid(`${path}: a system.message stands last in a request, and there is one at most.`);
  if (before === undefined || !mayPrecede.includes(before.type))
    throw invalid(
      `${path}: a system.message stands right behind a user.message or the result of a tool.`,
    );
}

function expectSize(event: ClientEventInput, path: string): void {
  const bytes = Buffer.byteLength(JSON.stringify(event));
  if (bytes > limits.eventBytesMax)
    throw invalid(
      `${path}: has ${bytes} bytes, and ${limits.eventBytesMax} are allowed. Upload what is large as a file and name it.`,
    );
}
