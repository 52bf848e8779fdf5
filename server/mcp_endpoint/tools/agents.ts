// Tools that have agents work: a session is begun or told something, and its turn is waited for.
import Type, { type Static } from "typebox";
import { closed } from "../../../kernel/http/route.ts";
import { limits } from "../limits.ts";
import type { Api, Call, PlinthTool, ToolAnswer } from "./tool.ts";

const id = (description: string) => Type.String({ minLength: 1, maxLength: 100, description });
const Message = Type.String({ minLength: 1, description: "What the agent is told." });

const RunInput = closed({
  agent: id("The agent's id, agent_…; its newest version runs."),
  environment_id: id("Where its tools run, env_…"),
  message: Message,
});
const SendInput = closed({ session_id: id("The session's id, sesn_…"), message: Message });
const DeploymentInput = closed({ deployment_id: id("The deployment's id, depl_…") });

interface SessionEvent {
  id: string;
  type: string;
  processed_at: string | null;
  content?: { type: string; text?: string }[];
  stop_reason?: { type: string; event_ids?: string[] };
  error?: { type: string; message: string };
}

const said = (message: string) => ({
  type: "user.message",
  content: [{ type: "text", text: message }],
});

/** What the session has since the event, which is the last of them, newest first. */
async function eventsSince(api: Api, session_id: string, sentId: string) {
  const events: SessionEvent[] = [];
  let page: string | null = null;
  for (let pages = 0; pages < limits.eventPagesMax; pages++) {
    const query = { order: "desc", limit: limits.eventsPerPage, ...(page !== null && { page }) };
    const found = (await api("sessions.events.list", { params: { session_id }, query })) as {
      data: SessionEvent[];
      next_page: string | null;
    };
    const at = found.data.findIndex((event) => event.id === sentId);
    events.push(...(at === -1 ? found.data : found.data.slice(0, at + 1)));
    page = found.next_page;
    if (at !== -1 || page === null) break;
  }
  return events;
}

/** The event that ends the turn which the sent one began: one that waits in the queue has none yet. */
function endOf(events: readonly SessionEvent[], sentId: string): SessionEvent | undefined {
  const begun = events.find((event) => event.id === sentId)?.processed_at ?? null;
  if (begun === null) return undefined;
  return events.find(
    ({ type, processed_at }) =>
      (type === "session.status_idle" || type === "session.status_terminated") &&
      (processed_at ?? "") >= begun,
  );
}

/** Rule MCE10. The session goes on where its client does not wait for it. */
async function awaitTurn(call: Call, session_id: string, sentId: string): Promise<ToolAnswer> {
  const { api, clock, signal, progress } = call;
  const untilMs = clock.monotonicMs() + limits.turnWaitMs;
  let pauseMs: number = limits.turnPollMinMs;
  let seen = 0;
  for (;;) {
    const events = await eventsSince(api, session_id, sentId);
    const end = endOf(events, sentId);
    if (end !== undefined) return outcome(session_id, events, end);
    if (events.length > seen) {
      seen = events.length;
      await progress(seen, events[0]?.type ?? "");
    }
    if (clock.monotonicMs() >= untilMs)
      return failed(session_id, `is still at work after ${limits.turnWaitMs / 60_000} minutes.`);
    if (!(await clock.sleep(pauseMs, signal))) return failed(session_id, "is at work.");
    pauseMs = Math.min(pauseMs * 1.5, limits.turnPollMaxMs);
  }
}

function outcome(
  session_id: string,
  events: readonly SessionEvent[],
  end: SessionEvent,
): ToolAnswer {
  const text = events
    .filter(({ type }) => type === "agent.message")
    .toReversed()
    .flatMap(({ content = [] }) => content.flatMap((block) => block.text ?? []))
    .join("\n\n");
  const stop = end.stop_reason?.type ?? "terminated";
  if (stop === "end_turn")
    return { text, fields: { session_id, status: "idle", stop_reason: stop, text } };
  if (stop === "requires_action")
    return failed(
      session_id,
      "waits for a person, who answers in the console or by the API.",
      end.stop_reason?.event_ids,
    );
  const error = events.find(({ type }) => type === "session.error")?.error;
  const why = error === undefined ? "" : ` ${error.message}`;
  return failed(session_id, `ended its turn with ${stop}.${why}`);
}

const failed = (
  session_id: string,
  words: string,
  waiting_for?: readonly string[],
): ToolAnswer => ({
  text: `The session ${session_id} ${words} send_to_session goes on with it.`,
  fields: { session_id, ...(waiting_for !== undefined && { waiting_for }) },
  isError: true,
});

export const agentTools: readonly PlinthTool[] = [
  {
    name: "run_agent",
    title: "Run an agent",
    description:
      "Begins a session of an agent with a message and waits for its answer, up to ten minutes. The session can be told more by send_to_session.",
    input: RunInput,
    call: async (call, { agent, environment_id, message }: Static<typeof RunInput>) => {
      const body = { agent, environment_id, initial_events: [said(message)] };
      const { id: session_id } = (await call.api("sessions.create", { body })) as { id: string };
      const { data } = (await call.api("sessions.events.list", {
        params: { session_id },
        query: { order: "asc", types: ["user.message"], limit: 1 },
      })) as { data: SessionEvent[] };
      return awaitTurn(call, session_id, data[0]?.id ?? "");
    },
  },
  {
    name: "send_to_session",
    title: "Tell a session something",
    description:
      "Sends a message to a session and waits for the turn that answers it, up to ten minutes.",
    input: SendInput,
    call: async (call, { session_id, message }: Static<typeof SendInput>) => {
      const { data } = (await call.api("sessions.events.send", {
        params: { session_id },
        body: { events: [said(message)] },
      })) as { data: SessionEvent[] };
      return awaitTurn(call, session_id, data[0]?.id ?? "");
    },
  },
  {
    name: "run_deployment",
    title: "Run a deployment",
    description:
      "Begins a session of a deployment now, also while it is paused, and does not wait for it.",
    input: DeploymentInput,
    call: async ({ api }, { deployment_id }: Static<typeof DeploymentInput>) => {
      const run = (await api("deployments.run", { params: { deployment_id } })) as Run;
      const fields = { ...run };
      if (run.error !== null && run.error !== undefined)
        return { text: `${run.error.type}: ${run.error.message}`, fields, isError: true };
      return { text: `Began the session ${run.session_id} (run ${run.id}).`, fields };
    },
  },
];

interface Run {
  id: string;
  session_id: string | null;
  error?: { type: string; message: string } | null;
}
