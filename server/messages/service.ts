// Serves a message request: whole or as a stream.
import { Failure, isFailure } from "../../kernel/base/failure.ts";
import type { Actor, Context } from "../../kernel/context.ts";
import { json, type Reply } from "../../kernel/http/output/reply.ts";
import {
  catalogOf,
  ignoredHeaders,
  tokensOfBody,
  type Message,
  type MessageBody,
  type Model,
} from "../models/module.ts";
import { headerPrefixOf } from "../limits/module.ts";
import { bodyKeeperOf, type UnderWay } from "../request_bodies/module.ts";
import { inDialect } from "./answer/dialect.ts";
import { relayAnswer } from "./answer/relay.ts";
import { addUp, answerRequest, answerWhole, type WholeAnswer } from "./answer/answer.ts";
import type { AnswerReader } from "./answer/hops.ts";
import { openRequest, plainRequest } from "./mcp/request.ts";
import { answerInRounds } from "./mcp/rounds.ts";
import { ledgerAccounting, type Accounting, type BatchAccounting } from "./run/accounting.ts";
import { inlineFiles } from "./prepare/files.ts";
import { memoryBudgetsOf } from "./prepare/memory-budget.ts";
import { serverOnlyFields, fieldOffsetsOf } from "./prepare/field-offsets.ts";
import { resolveModel } from "./prepare/resolve-model.ts";
import {
  supportsContextEdits,
  foreignBetas,
  prepareRequest,
  visibleTurns,
  withFiles,
  withoutUnread,
  type Incoming,
  type PreparedRequest,
} from "./prepare/prepared-request.ts";
import { invalidField } from "./problem.ts";
import { openTurn } from "./threads/service.ts";
import { hasThread } from "./threads/thread-param.ts";
import { validateBody } from "./validate/body.ts";

export async function createMessage(context: Context, incoming: Incoming): Promise<Reply> {
  using held = new DisposableStack();
  const said = bodyKeeperOf(context).begin(context, incoming.bytes);
  const accounting = ledgerAccounting[headerPrefixOf(context.headers)];
  if (namesServers(incoming.value)) {
    const request = await openRequest(context, incoming, "create");
    if (request !== undefined) {
      const answer = (isWhole: boolean) => (reader: AnswerReader) =>
        answerInRounds(request, accounting, reader, { isWhole });
      if (request.body.stream === true)
        return await relayAnswer(answer(false), context, { held: held.move(), said });
      return wholeReply(context, await addUp(answer(true)), said);
    }
  }
  const prepare = hasThread(incoming.value) ? prepareTurn : prepareRequest;
  const prepared = await prepare(context, incoming, accounting, held);
  if (prepared.sent.get().stream === true) {
    const answer = (reader: AnswerReader) => answerRequest(prepared, reader, { isWhole: false });
    return await relayAnswer(answer, context, { held: held.move(), said });
  }
  return wholeReply(context, await answerWhole(prepared), said);
}

function wholeReply(
  { dialect }: Context,
  { message, headers }: WholeAnswer,
  said: UnderWay | undefined,
): Reply {
  const shown = inDialect(message, dialect);
  said?.answer(shown);
  return json(shown, headers);
}

/** Rules MCM1 to MCM20, where no upstream calls them. */
const namesServers = (value: unknown): boolean =>
  ((value as { mcp_servers?: unknown } | null | undefined)?.mcp_servers ?? null) !== null;

/** A turn of a kept conversation: the whole of it is judged and answered as any other request. */
async function prepareTurn(
  context: Context,
  incoming: Incoming,
  accounting: Accounting,
  held: DisposableStack,
): Promise<PreparedRequest> {
  const { keptMessages, resumes, begin, ...opened } = await openTurn(context, incoming, held);
  try {
    const prepared = await prepareRequest(context, opened.incoming, accounting, held, {
      resumes,
    });
    return { ...prepared, thread: await begin() };
  } catch (error) {
    throw isFailure(error) ? inClientsNumbers(error, keptMessages) : error;
  }
}

/** The client has sent but the last of the messages, and numbers them from 0. */
function inClientsNumbers(failure: Failure, kept: number): Failure {
  if (kept === 0) return failure;
  const message = failure.message.replace(/\bmessages\.(\d+)/g, (path, number: string) =>
    Number(number) < kept ? `the thread's ${path}` : `messages.${Number(number) - kept}`,
  );
  return new Failure(failure.type, message, { ...failure.options, cause: failure });
}

/**
 * One request of a batch: its cost is collected in `accounting`, and the job that keeps the answer writes it.
 * `beforeCalls` is waited for before a tool of one of its MCP servers is called for the first time.
 */
export async function answerInBatch(
  actor: Actor,
  incoming: Incoming,
  accounting: BatchAccounting,
  beforeCalls: () => Promise<void>,
): Promise<Message> {
  expectBatchable(incoming.value);
  if (namesServers(incoming.value)) {
    const request = await openRequest(actor, incoming, "create");
    if (request !== undefined) {
      const answer = (reader: AnswerReader) =>
        answerInRounds(request, accounting, reader, { isWhole: true, beforeCalls });
      return (await addUp(answer)).message;
    }
  }
  using held = new DisposableStack();
  const prepared = await prepareRequest(actor, incoming, accounting, held);
  return (await answerWhole(prepared)).message;
}

/** They mean a stream, another speed or a conversation that is kept, none of which a batch has. */
const fieldsRefusedInBatch = [
  "fallbacks",
  "thread",
  "speed",
  "store",
  "previous_thread_event_id",
  "cache_hint",
  "context_hint",
] as const;

/** Rule MSG54. Throws the Failure that names the field. */
function expectBatchable(value: unknown): void {
  if (typeof value !== "object" || value === null || Array.isArray(value))
    throw invalidField(["params"], "must be an object", value);
  const params = value as Readonly<Record<string, unknown>>;
  for (const field of fieldsRefusedInBatch)
    if ((params[field] ?? null) !== null)
      throw invalidField([field], "is not taken within a batch; leave it out");
  if (params["stream"] === true)
    throw invalidField(
      ["stream"],
      "cannot be true within a batch: its results are read when it has ended",
    );
  if (params["max_tokens"] === 0)
    throw invalidField(
      ["max_tokens"],
      "cannot be 0 within a batch: warm the cache with a request of its own",
    );
  if (params["research_preview_2026_02"] === "active")
    throw invalidField(
      ["research_preview_2026_02"],
      "cannot be active within a batch; leave it out",
    );
}

export async function countTokens(context: Context, given: Incoming) {
  const incoming = namesServers(given.value) ? await withListedTools(context, given) : given;
  const { value } = incoming;
  const catalog = catalogOf(context);
  const model = resolveModel(catalog, value, context.who);
  const refused = validateBody(value, { model, call: "count" });
  if (refused !== undefined) throw refused;
  fieldOffsetsOf(incoming);
  using held = new DisposableStack();
  const holding = { budget: memoryBudgetsOf(context).messages, held };
  const fileInliner = await inlineFiles(context, value as MessageBody, holding);
  const whole = withFiles(fileInliner, value as MessageBody);
  const blind = fileInliner && validateBody(whole, { model, call: "count" });
  if (blind !== undefined) throw blind;
  const seen = { ...whole, messages: visibleTurns(catalog, model, whole.messages) };
  const body = countedBody(seen, model);
  const { requestId, signal } = context;
  const betas = foreignBetas(context.betas);
  const request = { model, body, stream: false, betas, requestId, signal };
  const counted = await catalog.adapterOf(model).countTokens(request);
  const tokens = counted ?? tokensOfBody(body);
  const isUnedited = (whole["context_management"] ?? null) !== null && !supportsContextEdits(model);
  // Nothing is edited where the upstream does not do it, so the count before and after is one.
  const edited = isUnedited ? { original_input_tokens: tokens } : null;
  return json({ input_tokens: tokens, context_management: edited }, ignoredHeaders(model, whole));
}

/** The tools that a message would be offered are counted: their servers are asked for them. */
async function withListedTools(context: Context, incoming: Incoming): Promise<Incoming> {
  const request = await openRequest(context, incoming, "count");
  if (request === undefined) return incoming;
  await using _connections = request.connections;
  return plainRequest(request).incoming;
}

/** The body as the upstream sees it: no fields of ours, and no compaction where the model does not declare it. */
function countedBody(body: MessageBody, model: Model): MessageBody {
  const isHidden = (field: string) =>
    serverOnlyFields.some((name) => name === field) ||
    (field === "compaction" && !model.pass.includes(field));
  const fields = Object.entries(withoutUnread(model, body)).filter(([field]) => !isHidden(field));
  return Object.fromEntries(fields) as MessageBody;
}
