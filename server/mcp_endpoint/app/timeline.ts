// What went on in a session, by time: for the page that draws it, and as lines of text.
import Type, { type Static } from "typebox";
import { closed } from "../../../kernel/http/route.ts";
import type { Api } from "../caller.ts";
import { limits } from "../limits.ts";
import { bounded, headOf, titleOf, wordsOf, type ShownEvent } from "../readable/transcript.ts";
import { waitedFor, type SessionUse } from "../tools/reading.ts";
import type { PlinthTool, ToolAnswer } from "../tools/tool.ts";
import { newestFirst } from "../turns.ts";
import { pageUri } from "./page.ts";

type Lane = "turns" | "people" | "agent" | "tools" | "model" | "session";

/** A moment, or what took a while. */
interface Mark {
  id: string;
  lane: Lane;
  type: string;
  title: string;
  /** Null while it waits to be taken. */
  at: string | null;
  /** Null for a moment, and for what has not ended. */
  ended_at: string | null;
  /** It began, and nothing says that it has ended. */
  is_open: boolean;
  is_error: boolean;
  text: string;
  /** Of a call. */
  result: string | null;
  tokens: { input: number; output: number; cache_read: number } | null;
}

type TimedEvent = ShownEvent & {
  model_request_start_id?: string;
  model_usage?: { input_tokens: number; output_tokens: number; cache_read_input_tokens: number };
};

const lanes: Readonly<Record<string, Lane>> = {
  "user.message": "people",
  "user.interrupt": "people",
  "user.tool_confirmation": "people",
  "user.define_outcome": "people",
  "agent.message": "agent",
  "agent.thread_context_compacted": "agent",
  "agent.thread_message_sent": "agent",
  "agent.thread_message_received": "agent",
  "agent.tool_use": "tools",
  "agent.mcp_tool_use": "tools",
  "agent.custom_tool_use": "tools",
  "span.model_request_start": "model",
  "session.status_running": "turns",
  "session.error": "session",
  "session.status_rescheduled": "session",
  "session.status_terminated": "session",
};
/** They end what another event began. */
const endTypes = [
  "agent.tool_result",
  "agent.mcp_tool_result",
  "user.tool_result",
  "user.custom_tool_result",
  "span.model_request_end",
  "session.status_idle",
];
const titles: Readonly<Record<string, string>> = {
  "session.status_running": "Turn",
  "span.model_request_start": "Model request",
  "session.status_rescheduled": "Tried again later",
  "user.define_outcome": "Outcome wanted",
  "agent.thread_message_sent": "Message to another thread",
  "agent.thread_message_received": "Message of another thread",
};

async function timelineOf(api: Api, session_id: string) {
  const types = [...Object.keys(lanes), ...endTypes];
  const marks: Mark[] = [];
  const ends = new Map<string, TimedEvent>();
  let characters = 0;
  let seen = 0;
  let isCut = false;
  let turnEnd: TimedEvent | undefined;
  for await (const event of newestFirst(api, session_id, { types }) as AsyncIterable<TimedEvent>) {
    isCut = seen >= limits.timelineEventsMax || characters >= limits.timelineCharactersMax;
    if (isCut) break;
    seen += 1;
    if (event.type === "session.status_idle" || event.type === "session.status_terminated")
      turnEnd = event;
    const begun = begunBy(event);
    if (begun !== undefined) ends.set(begun, event);
    const lane = lanes[event.type];
    if (lane === undefined) continue;
    const mark = markOf(event, lane, lane === "turns" ? turnEnd : ends.get(event.id));
    if (lane === "turns") turnEnd = undefined;
    characters += mark.text.length + (mark.result?.length ?? 0);
    marks.push(mark);
  }
  return { marks: marks.toReversed(), events_read: seen, is_complete: !isCut };
}

/** The event that this one ends. */
const begunBy = (event: TimedEvent) =>
  endTypes.includes(event.type)
    ? (event.model_request_start_id ??
      event.tool_use_id ??
      event.custom_tool_use_id ??
      event.mcp_tool_use_id)
    : undefined;

function markOf(event: TimedEvent, lane: Lane, end: TimedEvent | undefined): Mark {
  const { id, type, processed_at: at } = event;
  const isSpan = lane === "tools" || lane === "model" || lane === "turns";
  const shown = (of: TimedEvent) => bounded(wordsOf(of), limits.timelineTextCharactersMax);
  const usage = end?.model_usage;
  return {
    id,
    lane,
    type,
    title: titles[type] ?? titleOf(event),
    at,
    ended_at: end?.processed_at ?? null,
    is_open: isSpan && end === undefined,
    is_error: type === "session.error" || end?.is_error === true,
    text: lane === "turns" ? (end?.stop_reason?.type ?? "") : shown(event),
    result: lane === "tools" && end !== undefined ? shown(end) : null,
    tokens:
      usage === undefined
        ? null
        : {
            input: usage.input_tokens,
            output: usage.output_tokens,
            cache_read: usage.cache_read_input_tokens,
          },
  };
}

/** Rule MCE41: a page draws the fields, and a model reads the lines. */
async function sessionTimeline(api: Api, session_id: string): Promise<ToolAnswer> {
  const session = (await api("sessions.retrieve", { params: { session_id } })) as SessionUse;
  const { id, title, status, agent, created_at, updated_at, usage } = session;
  const waiting = status === "idle" ? await waitedFor(api, session_id) : undefined;
  const { stop_reason = null, calls = [] } = waiting ?? {};
  const timeline = await timelineOf(api, session_id);
  const waiting_for = (calls as ShownEvent[]).map((call) => ({
    id: call.id,
    type: call.type,
    title: titleOf(call),
    text: bounded(wordsOf(call), limits.timelineTextCharactersMax),
  }));
  const about = { id, title, status, stop_reason, created_at, updated_at };
  return {
    text: [
      headOf(session),
      ...waiting_for.map(({ id, title }) => `It waits for ${id}: ${title}.`),
      linesOf(timeline),
    ].join("\n\n"),
    fields: {
      session: { ...about, agent: { id: agent.id, name: agent.name }, usage },
      waiting_for,
      ...timeline,
    },
  };
}

function linesOf({ marks, is_complete }: { marks: readonly Mark[]; is_complete: boolean }): string {
  const shown = marks.slice(-limits.timelineLinesMax);
  const isWhole = is_complete && shown.length === marks.length;
  const cut = isWhole
    ? []
    : [`(The newest ${shown.length} are here; what came before is left out.)`];
  return [...cut, ...shown.map(lineOf)].join("\n");
}

function lineOf({ at, ended_at, title, is_error, is_open, tokens }: Mark): string {
  const ms = at !== null && ended_at !== null ? Date.parse(ended_at) - Date.parse(at) : undefined;
  const more = [
    ...(ms === undefined ? [] : [`${ms} ms`]),
    ...(is_open ? ["not ended"] : []),
    ...(is_error ? ["failed"] : []),
    ...(tokens === null ? [] : [`${tokens.input} tokens in, ${tokens.output} out`]),
  ];
  return `- ${at ?? "waits to be taken"}: ${title}${more.length === 0 ? "" : ` (${more.join(", ")})`}`;
}

const Input = closed({
  session_id: Type.String({
    minLength: 1,
    maxLength: 100,
    description: "The session's id, sesn_…",
  }),
});

export const showSession: PlinthTool = {
  name: "show_session",
  title: "Show a session",
  description:
    "Shows a person the timeline of a session: turns, messages, calls of tools and of models with how long they took, errors, and what it waits for. Where the client shows no page, it is a list; the words are in the resource plinth://sessions/{session_id}/transcript.",
  input: Input,
  isReading: true,
  page: pageUri,
  call: async ({ api }, { session_id }: Static<typeof Input>) => sessionTimeline(api, session_id),
};
