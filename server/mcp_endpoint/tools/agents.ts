// Tools that have agents work: a session is begun or told something, and its turn is waited for.
import Type, { type Static } from "typebox";
import { timeOfId } from "../../../kernel/base/ids.ts";
import { closed } from "../../../kernel/http/route.ts";
import type { Api, Client, Turn } from "../caller.ts";
import { limits } from "../limits.ts";
import { answerCalls, askAbout, callsOfPerson } from "../questions.ts";
import { readTurn, textOfTurn, type TurnState } from "../turns.ts";
import { said, type Call, type PlinthTool, type Resumed, type ToolAnswer } from "./tool.ts";

const id = (description: string) => Type.String({ minLength: 1, maxLength: 100, description });
const Message = said("What the agent is told.");

const RunInput = closed({
  agent: id("The agent's id, agent_…; its newest version runs."),
  environment_id: id("Where its tools run, env_…"),
  message: Message,
});
const SendInput = closed({ session_id: id("The session's id, sesn_…"), message: Message });
const DeploymentInput = closed({ deployment_id: id("The deployment's id, depl_…") });

const messageOf = (message: string) => ({
  type: "user.message",
  content: [{ type: "text", text: message }],
});

/**
 * Rule MCE10. The session goes on where its client does not wait for it: where it knows tasks it is given one, and
 * where it can ask its person, it is told what to ask.
 */
async function awaitTurn(call: Call, turn: Turn): Promise<ToolAnswer> {
  const { api, clock, signal, progress, log, client } = call;
  const { session_id } = turn;
  if (client.hasTasks) return { text: "", task: turn };
  const untilMs = clock.monotonicMs() + limits.turnWaitMs;
  let pauseMs: number = limits.turnPollMinMs;
  const begunMs = timeOfId(turn.sent_id).getTime();
  let told = "";
  for (let done = 0; ;) {
    const session = (await api("sessions.retrieve", { params: { session_id } })) as Session;
    // Before its state is looked at: a turn that is over soon has told something, too.
    if (session.updated_at !== told) {
      told = session.updated_at;
      // In seconds: what is told of a call after its person has answered is more than what was told before.
      done = Math.max(done + 0.001, (clock.now().getTime() - begunMs) / 1000);
      await progress(done, `The session is ${session.status}.`);
      await log("info", { session_id, status: session.status });
    }
    const state = session.status === "running" ? undefined : await readTurn(api, turn);
    if (state?.is === "ended") return resultOf(api, turn, state);
    const calls = state?.is === "waiting" ? await callsOfPerson(api, turn, state.callIds) : [];
    if (calls.length > 0) return asksFor(client, turn, calls);
    if (clock.monotonicMs() >= untilMs)
      return failed(session_id, `is still at work after ${limits.turnWaitMs / 60_000} minutes.`);
    if (!(await clock.sleep(pauseMs, signal))) return failed(session_id, "is at work.");
    pauseMs = Math.min(pauseMs * 1.5, limits.turnPollMaxMs);
  }
}

interface Session {
  id: string;
  status: string;
  updated_at: string;
}

function asksFor(
  client: Client,
  turn: Turn,
  calls: Awaited<ReturnType<typeof callsOfPerson>>,
): ToolAnswer {
  const requests = askAbout(calls, client);
  const waits = waitsFor(
    turn,
    calls.map(({ id }) => id),
  );
  if (Object.keys(requests).length === 0) return waits;
  return { text: waits.text, asks: { requests, turn } };
}

const waitsFor = ({ session_id }: Turn, callIds: readonly string[]) =>
  failed(session_id, "waits for a person, who answers in the console or by the API.", callIds);

/** What a turn that has ended gives. */
export async function resultOf(
  api: Api,
  turn: Turn,
  state: TurnState & { is: "ended" },
): Promise<ToolAnswer> {
  const { session_id } = turn;
  const stop = state.end.stop_reason?.type ?? "terminated";
  if (stop === "end_turn") {
    const text = await textOfTurn(api, turn, state);
    return { text, fields: { session_id, status: "idle", stop_reason: stop, text } };
  }
  const why = state.error?.error === undefined ? "" : ` ${state.error.error.message}`;
  return failed(session_id, `ended its turn with ${stop}.${why}`);
}

/** Rule MCE24: the call comes again, with what its person answered. */
async function goOn(call: Call, { turn, responses }: Resumed): Promise<ToolAnswer> {
  const state = await readTurn(call.api, turn);
  if (state?.is !== "waiting") return awaitTurn(call, turn);
  const isAnswered = await answerCalls(call.api, turn, state.callIds, responses);
  // Who gives no answer is not asked again.
  if (!isAnswered && Object.values(responses).some(isCancel)) return waitsFor(turn, state.callIds);
  return awaitTurn(call, turn);
}

const isCancel = (response: unknown) =>
  (response as { action?: unknown } | null)?.action === "cancel";

const failed = (
  session_id: string,
  words: string,
  waiting_for?: readonly string[],
): ToolAnswer => ({
  text: `The session ${session_id} ${words} send_to_session goes on with it after that.`,
  fields: { session_id, ...(waiting_for !== undefined && { waiting_for }) },
  isError: true,
});

export const agentTools: readonly PlinthTool[] = [
  {
    name: "run_agent",
    isDestructive: true,
    isOpen: true,
    title: "Run an agent",
    description:
      "Begins a session of an agent with a message and waits for its answer, up to ten minutes. The session can be told more by send_to_session.",
    input: RunInput,
    call: async (call, { agent, environment_id, message }: Static<typeof RunInput>) => {
      if (call.resumed !== undefined) return goOn(call, call.resumed);
      const body = { agent, environment_id, initial_events: [messageOf(message)] };
      const { id: session_id } = (await call.api("sessions.create", { body })) as { id: string };
      const { data } = (await call.api("sessions.events.list", {
        params: { session_id },
        query: { order: "asc", types: ["user.message"], limit: 1 },
      })) as { data: { id: string }[] };
      return awaitTurn(call, { session_id, sent_id: data[0]?.id ?? "" });
    },
  },
  {
    name: "send_to_session",
    isDestructive: true,
    isOpen: true,
    title: "Tell a session something",
    description:
      "Sends a message to a session and waits for the turn that answers it, up to ten minutes.",
    input: SendInput,
    call: async (call, { session_id, message }: Static<typeof SendInput>) => {
      if (call.resumed !== undefined) return goOn(call, call.resumed);
      const { data } = (await call.api("sessions.events.send", {
        params: { session_id },
        body: { events: [messageOf(message)] },
      })) as { data: { id: string }[] };
      return awaitTurn(call, { session_id, sent_id: data[0]?.id ?? "" });
    },
  },
  {
    name: "run_deployment",
    isDestructive: true,
    isOpen: true,
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
