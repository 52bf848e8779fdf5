// Tools that look at what there is: a file, a session, and what the sessions of the workspace used.
import Type, { type Static } from "typebox";
import { closed } from "../../../kernel/http/route.ts";
import type { Api } from "../caller.ts";
import { limits } from "../limits.ts";
import { contentOf, fileOf } from "../readable/contents.ts";
import type { SessionInfo } from "../readable/transcript.ts";
import { newestFirst, readCalls } from "../turns.ts";
import { listed, type Page, type PlinthTool } from "./tool.ts";

const FileInput = closed({
  file_id: Type.String({ minLength: 1, maxLength: 100, description: "The file's id, file_…" }),
});
const SessionInput = closed({
  session_id: Type.String({
    minLength: 1,
    maxLength: 100,
    description: "The session's id, sesn_…",
  }),
});
const UsageInput = closed({
  days: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: limits.usageDaysMax,
      description: "How many days back; 30 where nothing is said.",
    }),
  ),
});

/** What models take as a picture. */
const imageTypes = ["image/png", "image/jpeg", "image/gif", "image/webp"];

export interface SessionUse extends SessionInfo {
  stats: { active_seconds: number };
  usage: {
    input_tokens: number;
    output_tokens: number;
    cache_read_input_tokens: number;
    list_cost: { amount: string; currency: string };
  };
}

/** The calls that an idle session waits for, with what they are to do. */
export async function waitedFor(api: Api, session_id: string) {
  for await (const idle of newestFirst(api, session_id, { types: ["session.status_idle"] })) {
    const ids = idle.stop_reason?.event_ids ?? [];
    const stop_reason = idle.stop_reason?.type ?? null;
    if (ids.length === 0) return { stop_reason, calls: [] };
    return { stop_reason, calls: await readCalls(api, { session_id, sent_id: "" }, ids) };
  }
  return { stop_reason: null, calls: [] };
}

async function sessionState(api: Api, session_id: string) {
  const session = (await api("sessions.retrieve", { params: { session_id } })) as SessionUse;
  const { id, title, status, agent, created_at, updated_at, usage } = session;
  const waiting = status === "idle" ? await waitedFor(api, session_id) : undefined;
  const { stop_reason = null, calls = [] } = waiting ?? {};
  const fields = { id, title, status, stop_reason, agent: { id: agent.id, name: agent.name } };
  return listed({ ...fields, waiting_for: calls, created_at, updated_at, usage });
}

async function sessionsSince(api: Api, since: string) {
  const sessions: SessionUse[] = [];
  let page: string | null = null;
  do {
    const query = {
      created_at: { gte: since },
      include_archived: true,
      limit: limits.pageItemsMax,
      ...(page !== null && { page }),
    };
    const found = (await api("sessions.list", { query })) as Page<SessionUse>;
    sessions.push(...found.data);
    page = found.next_page;
  } while (page !== null && sessions.length < limits.usageSessionsMax);
  return { sessions, isCut: page !== null };
}

interface AgentUse {
  agent: { id: string; name: string };
  sessions: number;
  input_tokens: number;
  output_tokens: number;
  cache_read_input_tokens: number;
  list_cost_cents: number;
  active_seconds: number;
}

function usageByAgent(sessions: readonly SessionUse[]): AgentUse[] {
  const byAgent = new Map<string, AgentUse>();
  for (const { agent, usage, stats } of sessions) {
    const { id, name } = agent;
    const zero = { input_tokens: 0, output_tokens: 0, cache_read_input_tokens: 0 };
    const rest = { list_cost_cents: 0, active_seconds: 0 };
    const known = byAgent.get(id) ?? { agent: { id, name }, sessions: 0, ...zero, ...rest };
    byAgent.set(id, known);
    known.sessions += 1;
    known.input_tokens += usage.input_tokens;
    known.output_tokens += usage.output_tokens;
    known.cache_read_input_tokens += usage.cache_read_input_tokens;
    known.list_cost_cents += Number(usage.list_cost.amount);
    known.active_seconds += stats.active_seconds;
  }
  return [...byAgent.values()].toSorted((a, b) => b.list_cost_cents - a.list_cost_cents);
}

export const readingTools: readonly PlinthTool[] = [
  {
    name: "read_file",
    title: "Read a file",
    description:
      "The content of a file of the workspace: text as text, a picture as a picture, and of other files what is known of them. list_files has the ids.",
    input: FileInput,
    isReading: true,
    call: async ({ api }, { file_id }: Static<typeof FileInput>) => {
      const file = await fileOf(api, file_id);
      const fields = { ...file };
      const isImage = imageTypes.includes(file.mime_type);
      if (!isImage && file.size_bytes > limits.fileReadBytesMax) return listed(file);
      const { bytes, text } = await contentOf(api, file);
      if (text !== undefined) return { text, fields };
      if (!isImage) return listed(file);
      const image = {
        type: "image" as const,
        data: bytes.toString("base64"),
        mimeType: file.mime_type,
      };
      return { text: file.filename, fields, blocks: [image] };
    },
  },
  {
    name: "get_session",
    title: "Look at a session",
    description:
      "The state of a session: its status, why it stopped, the calls it waits for a person or a client to answer, and what it used. Its words are in the resource plinth://sessions/{session_id}/transcript.",
    input: SessionInput,
    isReading: true,
    call: async ({ api }, { session_id }: Static<typeof SessionInput>) =>
      sessionState(api, session_id),
  },
  {
    name: "usage",
    title: "What sessions used",
    description:
      "What the sessions that began in the last days used, by agent: tokens, list cost in US cents, seconds at work. Messages outside of sessions are not in it.",
    input: UsageInput,
    isReading: true,
    call: async ({ api, clock }, { days = 30 }: Static<typeof UsageInput>) => {
      const since = new Date(clock.now().getTime() - days * 86_400_000).toISOString();
      const { sessions, isCut } = await sessionsSince(api, since);
      return listed({ since, is_complete: !isCut, agents: usageByAgent(sessions) });
    },
  },
];
