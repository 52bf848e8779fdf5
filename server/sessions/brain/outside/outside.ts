// What a thread needs from outside: an answer of a model, a summary, a grade, the result of a tool.
import { invalid } from "../../../../kernel/base/failure.ts";
import type { World } from "../../../../kernel/context.ts";
import type { NewSpan, Span, Tracer } from "../../../../kernel/observe/tracing/tracer.ts";
import { catalogOf, type Block } from "../../../models/module.ts";
import { failed, type ToolResult } from "../../../sandboxes/module.ts";
import { runWebTool, webTools } from "../../../web_tools/module.ts";
import { errorWord } from "../../../messages/module.ts";
import { promptOf } from "./prompt.ts";
import type { Call } from "../../conversation/state.ts";
import { shownTurns, textOf, textTurn } from "../../conversation/turns.ts";
import { publishPreview } from "../../events/previews.ts";
import { limits } from "../../limits.ts";
import {
  actorOf,
  dimensionsOf,
  principalOf,
  sessionAccounting,
  webAccounting,
} from "../../model/caller.ts";
import { AnswerEvents } from "../../model/answer-events.ts";
import { askModel } from "../../model/ask-model.ts";
import { promptConfigOf } from "../../model/config.ts";
import { gradeWork } from "../../model/judges/grading.ts";
import { isDatabaseLost } from "../../model/failures.ts";
import { judgeCalls } from "../../model/judges/judged-calls.ts";
import { logged } from "../../model/logged.ts";
import { sumUp, sumUpWebUse } from "../../model/queries.ts";
import { toolsOf } from "../../model/tools-of-thread.ts";
import { addAnswer, readableAnswer, wholeContent } from "../../steps/answers.ts";
import { delegationsOf } from "../../steps/delegation.ts";
import { addGraded } from "../../steps/outcomes.ts";
import { agentOf } from "../../steps/context.ts";
import type { Came, OutsideContext } from "./context.ts";
import { cancelTaskOf, networkOf, runServerCall, serverToolsOf } from "./server-calls.ts";
import { traceOfSession } from "../../servers/tools.ts";
import { rememberNames, withServerTools } from "../../servers/names.ts";
import { rememberTools } from "../../servers/seen-tools.ts";
import { runCall, type CallResult } from "../../sandbox/run-call.ts";
import {
  addFailure,
  addRepositoryFault,
  addSummary,
  addToolResult,
  addToolsFailure,
  addToolsListed,
  type OutsideStep,
} from "../../steps/steps.ts";
import { variableErrors } from "../../variables/variables.ts";

export async function doStep(
  world: World,
  step: OutsideStep,
  given: OutsideContext,
): Promise<Came> {
  const { tracer } = world.instruments;
  if (tracer === undefined) return doUntraced(world, step, given);
  const requestId = world.ids.next("req_");
  const span = beginStepSpan(tracer, step, { ...given, requestId });
  try {
    const came = await doUntraced(world, step, { ...given, requestId });
    span.end();
    return came;
  } catch (error) {
    span.end({ error: errorWord(error) });
    throw error;
  }
}

async function doUntraced(world: World, step: OutsideStep, given: OutsideContext): Promise<Came> {
  const { session, members, thread, signal } = given;
  const { state } = thread;
  if (step.do === "run_tool") return runLoggedCall(world, given, step.call);
  if (step.do === "cancel_task") return cancelTaskOf(world, { session, thread, signal }, step.call);
  if (step.do === "list_tools") {
    const listed = await serverToolsOf(world, { session, thread, signal }, null);
    const useless = thread.facts.parentId === null ? await variableErrors(world, session) : [];
    return (draft, context) => addToolsListed(draft, context, { ...listed, useless });
  }
  const { config: agentConfig } = agentOf(thread, session);
  const isPrimary = thread.facts.parentId === null;
  const own = { agent: agentOf(thread, session), members: isPrimary ? members : [] };
  const answered = state.turn?.servers ?? [];
  const fromServers = await serverToolsOf(world, { session, thread, signal }, answered);
  const ownTools = toolsOf(world, agentConfig, own.members);
  const named = withServerTools(thread, ownTools, fromServers.tools);
  const { tools } = named;
  const prompted = { agent: own.agent, tools, notes: fromServers.notes };
  const config = await promptConfigOf(session, prompted, {
    on: world.db,
    catalog: catalogOf(world),
  });
  const actor = await actorOf(world, session, signal, given.requestId);
  const accounting = sessionAccounting(thread.id, dimensionsOf(session), (settlement) =>
    sumUp(session.usage, settlement),
  );
  if (step.do === "grade") {
    const { outcome, turns } = state;
    if (outcome === null) return nothing;
    const { model, maxTokens } = config;
    const grade = await gradeWork(actor, { model, maxTokens, outcome, turns }, accounting);
    return (draft, context) => {
      if (draft.state.outcome !== null) addGraded(draft, context, draft.state.outcome, grade);
    };
  }
  if (step.do === "compact") {
    const maxTokens = Math.min(config.maxTokens, limits.summaryTokensMax);
    const turns = [...shownTurns(state), textTurn(summaryRequest)];
    const { content, usage } = await askModel(
      actor,
      promptOf(turns, { ...config, maxTokens }),
      accounting,
    );
    return (draft, context) => addSummary(draft, context, textOf(content) || unknownPast, usage);
  }
  const events = new AnswerEvents(world.ids, state.position, (preview) =>
    publishPreview(world, thread.id, preview),
  );
  const turns = shownTurns(state);
  const prompt = promptOf(turns, config);
  const message = readableAnswer(await askModel(actor, prompt, accounting, events));
  const content = wholeContent(message);
  expectFewCalls(content);
  const judging = { model: config.model, tools, turns, content };
  const verdicts = await judgeCalls(actor, judging, accounting);
  return (draft, context) => {
    const { threads } = context.drafts;
    const from = { from: thread, members: own.members, threads };
    const delegations = delegationsOf(world, content, from);
    if (fromServers.errors.length > 0) addToolsListed(draft, context, fromServers);
    rememberTools(context, tools);
    rememberNames(draft, named);
    addAnswer(draft, { ...context, tools }, { message, events, delegations, verdicts });
  };
}

function runLoggedCall(world: World, given: OutsideContext, call: Call): Promise<Came> {
  const { session, signal } = given;
  const requestId = world.ids.next("req_");
  const who = principalOf(session);
  const asked = { requestId, notes: {}, who, sessionId: session.id, signal };
  const what = { operation: "sessions.tool_call", tool: call.name } as const;
  return logged(world, { ...asked, ...what }, () => runToolCall(world, given, call));
}

async function runToolCall(world: World, given: OutsideContext, call: Call): Promise<Came> {
  const { session, signal } = given;
  if (call.kind === "mcp") return runServerCall(world, given, call);
  const ran: CallResult = webTools.includes(call.name)
    ? await runWebCall(world, given, call)
    : await runCall(world, session, call, signal);
  if (!("missing" in ran))
    return (draft, context) => {
      for (const fault of ran.faults ?? []) addRepositoryFault(draft, context, fault);
      addToolResult(draft, context, call, ran);
    };
  const words = `The packages of the environment could not be installed. ${ran.missing}`;
  const result = failed(`${words}\nThis call was not run.`);
  return (draft, context) => addToolsFailure(draft, context, call, { words, result });
}

/** What keeps a call from its result is its result; only an interrupt is thrown. */
async function runWebCall(
  world: World,
  { session, thread, signal }: OutsideContext,
  { name, input }: Call,
): Promise<ToolResult> {
  try {
    const actor = await actorOf(world, session, signal);
    const { config } = agentOf(thread, session);
    const turns = shownTurns(thread.state);
    const accounting = webAccounting(actor, thread.id, dimensionsOf(session), (use) =>
      sumUpWebUse(session.usage, use),
    );
    const network = await networkOf(world, session);
    return await runWebTool(world, { name, input, config, turns, ...network, accounting }, signal);
  } catch (error) {
    if (signal.aborted) throw error;
    if (!isDatabaseLost(error))
      world.logger.error({ error, session: session.id, tool: name }, "a tool could not be run");
    return failed(
      "The call could not be run, or what it cost could not be kept: this server failed. Its log says more.",
    );
  }
}

function expectFewCalls(content: readonly Block[]): void {
  const calls = content.filter(({ type }) => type === "tool_use").length;
  if (calls > limits.callsPerAnswerMax)
    throw invalid(
      `The model called tools ${calls} times in one answer; the most is ${limits.callsPerAnswerMax}.`,
    );
}

const nothing: Came = () => undefined;

const summaryRequest =
  "Sum up this conversation so that the work can go on from your summary alone: what was asked, what was done and found, what is open, and every name, path and number that is needed. Write nothing else.";

const unknownPast = "(nothing is known of what was said before)";

/** In place of what cannot be kept. */
export const unwritten: Came = (draft, context) =>
  void addFailure(draft, context, {
    type: "unknown_error",
    message: "What the model said could not be kept: this server failed. Its log says more.",
    isTransient: false,
    retryAfterMs: 0,
  });

/** Rule TRC2. Questions to models that are asked with `requestId` are under it. */
function beginStepSpan(
  tracer: Tracer,
  step: OutsideStep,
  { session, requestId }: Pick<OutsideContext, "session"> & { requestId: string },
): Span {
  const { name, kind, attributes, spanId } =
    step.do === "run_tool" ? toolSpan(step.call, session.id) : turnSpan(step);
  return tracer.begin({
    name,
    kind,
    traceId: traceOfSession(session.id).traceId,
    ...(spanId !== undefined && { spanId }),
    id: requestId,
    attributes: {
      "gen_ai.conversation.id": session.id,
      "gen_ai.agent.id": session.agent.id,
      "plinth.organization_id": session.organizationId,
      "plinth.workspace_id": session.workspaceId,
      ...attributes,
    },
  });
}

type Facts = Pick<NewSpan, "name" | "kind" | "attributes" | "spanId">;

/** An MCP server hears of the span of its call: rule MCP29. */
function toolSpan({ id, name, kind }: Call, sessionId: string): Facts {
  const isServers = kind === "mcp";
  return {
    name: `${isServers ? "tools/call" : "execute_tool"} ${name}`,
    kind: isServers ? "client" : "internal",
    ...(isServers && { spanId: traceOfSession(sessionId, id).spanId }),
    attributes: {
      "gen_ai.operation.name": "execute_tool",
      "gen_ai.tool.name": name,
      "gen_ai.tool.call.id": id,
      ...(isServers && { "mcp.method.name": "tools/call" }),
    },
  };
}

const turnSpan = (step: OutsideStep): Facts => ({
  name: "invoke_agent",
  kind: "internal",
  attributes: { "gen_ai.operation.name": "invoke_agent", "plinth.session.step": step.do },
});
