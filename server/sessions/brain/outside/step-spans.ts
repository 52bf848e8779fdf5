// Spans of what sessions do outside: turns of their agents, and calls of tools. All of a session are one trace.
import type { NewSpan, Span, Tracer } from "../../../../kernel/observe/tracing/tracer.ts";
import type { Call } from "../../conversation/state.ts";
import { traceOfSession } from "../../servers/tools.ts";
import type { OutsideStep } from "../../steps/steps.ts";
import type { OutsideContext } from "./context.ts";

/** Rule TRC2. Questions to models that are asked with `requestId` are under it. */
export function beginStepSpan(
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
