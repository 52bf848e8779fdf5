// An answer in rounds: a model is asked, its calls of servers' tools are made, and it is asked again with the results.
import assert from "node:assert/strict";
import { isFailure } from "../../../kernel/base/failure.ts";
import {
  accumulate,
  asWireEvent,
  type Accumulator,
  type Block,
  type Message,
  type StreamEvent,
  type Usage,
  type WireEvent,
} from "../../models/module.ts";
import { answerRequest, type AnswerOptions } from "../answer/answer.ts";
import type { AnswerReader } from "../answer/hops.ts";
import { prepareRequest, type PreparedRequest } from "../prepare/prepared-request.ts";
import type { Accounting } from "../run/accounting.ts";
import type { CallResult } from "./connections.ts";
import { mcpLimits } from "./limits.ts";
import type { OfferedTool } from "./offered.ts";
import { plainRequest, tokensNeeded, type ServersRequest } from "./request.ts";
import { behindBoundary, followModel, keepRoute, onRoute, openRoute, type Route } from "./route.ts";
import { RoundUsage, summedUsage } from "./usage.ts";

interface RoundsOptions extends AnswerOptions {
  /** Waited for before the first call of a tool. */
  beforeCalls?: () => Promise<void>;
}

interface Answer {
  readonly request: ServersRequest;
  readonly reader: AnswerReader;
  readonly options: RoundsOptions;
  readonly accounting: Accounting;
  /** What the client has. */
  readonly given: Accumulator;
  nextIndex: number;
  /** By the ids that the client has of them. */
  readonly called: Map<string, OfferedTool>;
  readonly rounds: RoundUsage[];
  /** Where other models may take over: set in the first round. */
  route: Route | undefined;
}

/** How a round ended: its last words, which the client has not got yet. */
interface RoundEnd {
  event: StreamEvent;
  stopReason: unknown;
}

/** One message, whatever it takes: every round is a request of its own to all that counts and charges. */
export async function answerInRounds(
  request: ServersRequest,
  accounting: Accounting,
  reader: AnswerReader,
  options: RoundsOptions,
): Promise<void> {
  await using _connections = request.connections;
  const answer: Answer = {
    request,
    reader,
    options,
    accounting,
    given: accumulate(),
    nextIndex: 0,
    called: new Map(),
    rounds: [],
    route: undefined,
  };
  let end = await askRound(answer, request.body.max_tokens, () => {});
  for (let from = 0; end.stopReason === "tool_use";) {
    const said = behindBoundary(contentOf(answer).slice(from));
    const calls = said.filter(({ type }) => type === "mcp_tool_use");
    if (calls.length === 0) break;
    if (from === 0) await options.beforeCalls?.();
    await makeCalls(answer, calls);
    if (said.some(({ type }) => type === "tool_use")) break;
    from = contentOf(answer).length;
    end = await goOn(answer, end);
  }
  const { route } = answer;
  if (route !== undefined) await keepRoute(request, route, contentOf(answer), end.stopReason);
  await give(answer, [asWireEvent(lastEvent(answer, end)), asWireEvent({ type: "message_stop" })]);
}

const contentOf = ({ given }: Answer): readonly Block[] => given.message()?.content ?? [];

async function goOn(answer: Answer, end: RoundEnd): Promise<RoundEnd> {
  const { request, rounds, route } = answer;
  const written = writtenIn(answer);
  const answering = route?.hop.body ?? request.body;
  if (answering.max_tokens - written < tokensNeeded(answering))
    return { ...end, stopReason: "max_tokens" };
  // The requested model is not asked any more where another one answers, but its request is judged.
  const maxTokens = Math.max(request.body.max_tokens - written, tokensNeeded(request.body));
  const next = rounds.length < mcpLimits.roundsMax ? await askNext(answer, maxTokens) : undefined;
  return next ?? { ...end, stopReason: "pause_turn" };
}

/**
 * Undefined where the model cannot be asked, and has not begun to speak: what there is of the turn is the client's, who
 * has it for its money, and learns the reason when it goes on.
 */
async function askNext(answer: Answer, maxTokens: number): Promise<RoundEnd | undefined> {
  let hasSpoken = false;
  try {
    return await askRound(answer, maxTokens, () => (hasSpoken = true));
  } catch (error) {
    const { signal } = answer.request.actor;
    if (hasSpoken || signal.aborted || !isFailure(error)) throw error;
    return undefined;
  }
}

async function askRound(
  answer: Answer,
  maxTokens: number,
  onSpoken: () => void,
): Promise<RoundEnd> {
  const { reader, options, rounds } = answer;
  const isFirst = rounds.length === 0;
  const usage = new RoundUsage();
  const offset = answer.nextIndex;
  let end: StreamEvent | undefined;
  let answered: unknown;
  using held = new DisposableStack();
  const read = (event: WireEvent): WireEvent[] => {
    switch (event.name) {
      case "message_start":
        usage.start(event.data());
        answered = (event.data()["message"] as Message).model;
        return isFirst ? [event] : [];
      case "message_delta":
        end = event.data();
        usage.end(end);
        return [];
      case "message_stop":
        return [];
      case "content_block_start":
        answered = takenOverBy(event) ?? answered;
        return [inAnswer(answer, event, offset)];
      default:
        return [inAnswer(answer, event, offset)];
    }
  };
  const prepared = await prepareRound(answer, maxTokens, held);
  const ofRound: AnswerReader = {
    begin: (headers) => (isFirst ? reader.begin(headers) : undefined),
    take: (events) => {
      const told = events.flatMap(read);
      if (told.length === 0) return undefined;
      onSpoken();
      return give(answer, told);
    },
  };
  await answerRequest(prepared, ofRound, options);
  rounds.push(usage);
  if (answer.route !== undefined) followModel(answer.route, answered);
  const event = end ?? { type: "message_delta", delta: {} };
  return { event, stopReason: (event["delta"] as Record<string, unknown>)["stop_reason"] };
}

async function prepareRound(
  answer: Answer,
  maxTokens: number,
  held: DisposableStack,
): Promise<PreparedRequest> {
  const { request, accounting, rounds } = answer;
  const { incoming, inClientsNumbers } = plainRequest(request, contentOf(answer), maxTokens);
  const options = { isRound: true };
  const prepared = await prepareRequest(request.actor, incoming, accounting, held, options).catch(
    (error: unknown) => {
      throw inClientsNumbers(error);
    },
  );
  if (rounds.length === 0) answer.route = await openRoute(request, prepared.plan);
  return answer.route === undefined ? prepared : onRoute(prepared, answer.route, writtenIn(answer));
}

/** The model behind a boundary. */
function takenOverBy(event: WireEvent): unknown {
  const block = event.data()["content_block"] as Block;
  return block.type === "fallback" ? (block["to"] as { model: string }).model : undefined;
}

/** The same event among those of the whole answer: a call of a server's tool is one of its own kind. */
function inAnswer(answer: Answer, event: WireEvent, offset: number): WireEvent {
  if (!event.name.startsWith("content_block_")) return event;
  const data = event.data();
  const index = Number(data["index"]) + offset;
  answer.nextIndex = Math.max(answer.nextIndex, index + 1);
  const block = data["content_block"] as Block | undefined;
  const called =
    block?.type === "tool_use"
      ? answer.request.offered.byName.get(String(block["name"]))
      : undefined;
  if (called === undefined) return offset === 0 ? event : asWireEvent({ ...data, index });
  const id = answer.request.actor.ids.next("mcptoolu_");
  answer.called.set(id, called);
  const call = {
    type: "mcp_tool_use",
    id,
    name: called.tool.name,
    server_name: called.server.name,
    input: block?.["input"] ?? {},
  };
  return asWireEvent({ ...data, index, content_block: call });
}

function give(answer: Answer, events: readonly WireEvent[]): Promise<void> | undefined {
  for (const event of events) answer.given.add(event.data());
  return answer.reader.take(events);
}

/** Those of different servers at the same time. */
async function makeCalls(answer: Answer, calls: readonly Block[]): Promise<void> {
  const { connections, actor } = answer.request;
  const made = await Promise.all(
    calls.map(async ({ id, input }, at): Promise<CallResult> => {
      const { server, tool } = answer.called.get(String(id)) ?? assert.fail("it was offered");
      return at < mcpLimits.callsPerRoundMax ? connections.call(server, tool, input) : tooMany;
    }),
  );
  const results = calls.flatMap((call, at) => {
    const index = answer.nextIndex++;
    const { is_error, content } = made[at] ?? tooMany;
    const block = { type: "mcp_tool_result", tool_use_id: call["id"], is_error, content };
    return [
      asWireEvent({ type: "content_block_start", index, content_block: block }),
      asWireEvent({ type: "content_block_stop", index }),
    ];
  });
  await give(answer, results);
  actor.signal.throwIfAborted();
}

const tooMany: CallResult = {
  content: [
    {
      type: "text",
      text: `Not made: one answer may call ${mcpLimits.callsPerRoundMax} tools of MCP servers.`,
    },
  ],
  is_error: true,
};

const writtenIn = ({ rounds }: Answer): number =>
  rounds.reduce((sum, { usage }) => sum + usage.output_tokens, 0);

function lastEvent({ rounds, given }: Answer, { event, stopReason }: RoundEnd): StreamEvent {
  const model = String(given.message()?.model);
  const usage: Usage = summedUsage(rounds, model);
  const delta = { ...(event["delta"] as object), stop_reason: stopReason };
  return { ...event, delta, usage };
}
