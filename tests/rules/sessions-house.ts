// What the tests of sessions share: a house, sessions in it, what is said to them, and what comes of it.
import assert from "node:assert/strict";
import { sql } from "../../kernel/sql/statement.ts";
import type { Session as SessionShape } from "../../server/sessions/schema.ts";
import { openHouse, type Answer, type Ask, type House, type HouseOptions } from "../house.ts";
import { errorOf, queryOf, type Page } from "./memory-house.ts";
import { until } from "./support.ts";

export type Session = SessionShape;
export const sessionsPath = "/v1/sessions";
export const managedAgents = { "vendor-beta": "managed-agents-2026-04-01" };
/** Speaks as the official client does. */
const newer = { "vendor-version": "2026-10-21" };

/** What else an event holds is what each test is about. */
export interface SessionEvent {
  id: string;
  type: string;
  processed_at: string | null;
  // oxlint-disable-next-line typescript/no-explicit-any
  [field: string]: any;
}

type Query = Record<string, string | number | boolean>;
export type SessionCalls = ReturnType<typeof sessionsOf>;

/** Calls as the platform's workspace unless another key or cookie is given; each but `call` and `try…` must succeed. */
export function sessionsOf(houseOf: () => House) {
  const ask = (method: string, path: string, asking: Ask = {}): Promise<Answer> => {
    const { headers, ...rest } = asking;
    const key = houseOf().organizations.platform.api_key;
    const credential = rest.key === undefined && rest.cookie === undefined ? { key } : {};
    return houseOf().ask(method, path, {
      ...credential,
      ...rest,
      headers: { ...managedAgents, ...newer, ...headers },
    });
  };
  const askGood = async <T>(method: string, path: string, asking: Ask = {}): Promise<T> => {
    const { status, body } = await ask(method, path, asking);
    assert.equal(status, 200, `${method} ${path}: ${JSON.stringify(body)}`);
    return body as T;
  };
  const call = (method: string, path: string, asking: Ask = {}) =>
    ask(method, sessionsPath + path, asking);
  const good = <T = Session>(method: string, path: string, asking: Ask = {}) =>
    askGood<T>(method, sessionsPath + path, asking);
  const agent = (body: object = {}, asking: Ask = {}) =>
    askGood<{ id: string; version: number }>("POST", "/v1/agents", {
      ...asking,
      body: { name: "Helper", model: "sim-small", ...body },
    });
  const environment = (type = "self_hosted", asking: Ask = {}) =>
    askGood<{ id: string }>("POST", "/v1/environments", {
      ...asking,
      body: { name: "lab", config: { type } },
    });
  /** The body of a request that begins a session. */
  const bodyOf = async (agentBody: object = {}, asking: Ask = {}) => ({
    agent: (await agent(agentBody, asking)).id,
    environment_id: (await environment("self_hosted", asking)).id,
  });
  const begin = (body: object, asking: Ask = {}) => good("POST", "", { ...asking, body });
  const make = async (agentBody: object = {}, more: object = {}, asking: Ask = {}) =>
    begin({ ...(await bodyOf(agentBody, asking)), ...more }, asking);
  const read = (id: string, asking: Ask = {}) => good("GET", `/${id}`, asking);
  const trySend = (id: string, events: readonly object[], asking: Ask = {}) =>
    call("POST", `/${id}/events`, { ...asking, body: { events } });
  const send = async (id: string, ...events: readonly object[]): Promise<SessionEvent[]> => {
    const { status, body } = await trySend(id, events);
    assert.equal(status, 200, JSON.stringify(body));
    return (body as { data: SessionEvent[] }).data;
  };
  const eventsPage = (id: string, query: Query = {}) =>
    good<Page<SessionEvent>>("GET", `/${id}/events${queryOf(query)}`);
  const events = async (id: string, query: Query = {}): Promise<SessionEvent[]> => {
    const { data, next_page } = await eventsPage(id, { limit: 1000, ...query });
    assert.equal(next_page, null, "more events than one page");
    return data;
  };
  /** Waits for an event of this type. */
  const seen = (id: string, type: string): Promise<SessionEvent> =>
    until(async () => (await events(id)).find((event) => event.type === type), type);
  /** It does not run, and nothing waits for a turn; the events up to there. */
  const idle = (id: string): Promise<SessionEvent[]> =>
    until(async () => {
      const all = await events(id);
      const waits = all.some(({ processed_at }) => processed_at === null);
      return !waits && all.at(-1)?.type === "session.status_idle" && all;
    }, `${id} to be idle`);
  return {
    ask,
    askGood,
    call,
    good,
    agent,
    environment,
    bodyOf,
    begin,
    make,
    read,
    trySend,
    send,
    eventsPage,
    events,
    idle,
    tryBegin: (body: object, asking: Ask = {}) => call("POST", "", { ...asking, body }),
    tryUpdate: (id: string, body: object) => call("POST", `/${id}`, { body }),
    update: (id: string, body: object) => good("POST", `/${id}`, { body }),
    archive: (id: string) => good("POST", `/${id}/archive`),
    remove: (id: string) => call("DELETE", `/${id}`),
    /** Sends and waits until it is idle again; what has come of it, what was sent among it. */
    turn: async (id: string, ...given: readonly object[]): Promise<SessionEvent[]> => {
      const [first] = await send(id, ...given);
      const after = (all: SessionEvent[]) => all.slice(all.findIndex((e) => e.id === first?.id));
      return after(
        await until(async () => {
          const all = await idle(id);
          return typesOf(after(all)).includes("session.status_idle") && all;
        }, `an idle event behind ${first?.id}`),
      );
    },
    seen,
    /** Its model writes for longer than a test looks, and nothing is appended meanwhile. */
    busy: async (id: string): Promise<void> => {
      await send(id, said(slowly));
      await seen(id, "span.model_request_start");
    },
    /** What is sent is refused with 400, this code and a sentence like this. */
    refuses: async (
      id: string,
      given: readonly object[],
      code: string | undefined,
      words: RegExp,
    ) => assert.match(errorOf(await trySend(id, given), 400, code).message, words),
    /** The stream, from now on; it is open when this resolves. */
    stream: async (
      id: string,
      { path = "events/stream", query = "", headers = {}, url = houseOf().url }: StreamAsking = {},
    ) =>
      openStream(`${url}${sessionsPath}/${id}/${path}${query}`, {
        ...managedAgents,
        "x-api-key": houseOf().organizations.platform.api_key,
        ...headers,
      }),
  };
}

interface StreamAsking {
  /** Below the session. */
  path?: string;
  query?: string;
  headers?: Record<string, string>;
  url?: string;
}

export type SessionHouse = Awaited<ReturnType<typeof openSessionHouse>>;

export async function openSessionHouse(options: HouseOptions = {}) {
  const house = await openHouse(options);
  return {
    house,
    ...house.organizations,
    ...sessionsOf(() => house),
    [Symbol.asyncDispose]: () => house[Symbol.asyncDispose](),
  };
}

export const text = (words: string) => ({ type: "text", text: words });
export const said = (...words: readonly string[]) => ({
  type: "user.message",
  content: words.map(text),
});
export const interrupt = { type: "user.interrupt" };
export const system = (words: string) => ({ type: "system.message", content: [text(words)] });
export const confirm = (id: string, result: "allow" | "deny", more: object = {}) => ({
  type: "user.tool_confirmation",
  tool_use_id: id,
  result,
  ...more,
});
export const result = (id: string, words: string) => ({
  type: "user.tool_result",
  tool_use_id: id,
  content: [text(words)],
});
export const customResult = (id: string, words: string) => ({
  type: "user.custom_tool_result",
  custom_tool_use_id: id,
  content: [text(words)],
});

/** Says a word in a second, for longer than a test looks. */
export const slowly = "[[tokens 600]] [[rate 1]]";

export const toolset = "agent_toolset_20260401";
export const custom = (name: string) => ({
  type: "custom",
  name,
  description: "Does it",
  input_schema: { type: "object" },
});
/** Tools of the agent's computer, all with one policy. */
export const computer = (policy = "always_allow") => ({
  type: toolset,
  default_config: { enabled: true, permission_policy: { type: policy } },
});

export const typesOf = (events: readonly { type: string }[]) => events.map(({ type }) => type);
export const ofType = <Event extends { type: string }>(events: readonly Event[], type: string) =>
  events.filter((event) => event.type === type);
/** What the agent has said, in its order. */
export const wordsOf = (events: readonly SessionEvent[]): string[] =>
  ofType(events, "agent.message").map(({ content }) =>
    (content as { text: string }[]).map((block) => block.text).join(""),
  );

/** How many rows each table of sessions has, and how many events of theirs the log. */
export async function rowsOf({ world }: House): Promise<unknown> {
  const [row] = await world.db.query(sql`
    select (select count(*) from sessions)::int as sessions,
      (select count(*) from session_threads)::int as threads,
      (select count(*) from session_usage)::int as usage,
      (select count(*) from session_calls)::int as calls,
      (select count(*) from session_resources)::int as resources,
      (select count(*) from session_outcomes)::int as outcomes,
      (select count(*) from log_streams)::int as streams,
      (select count(*) from audit_events where action like 'session.%')::int as audited`);
  return row;
}

export type OpenStream = Awaited<ReturnType<typeof openStream>>;

/** What comes over a stream, kept as it comes. */
export async function openStream(url: string, headers: Record<string, string>) {
  const closing = new AbortController();
  const response = await fetch(url, { headers, signal: closing.signal });
  assert.equal(response.status, 200, `${url}: ${response.status}`);
  const events: SessionEvent[] = [];
  /** Of those that have one, the id that the frame names. */
  const frameIds: string[] = [];
  const read = async () => {
    let unread = "";
    for await (const bytes of response.body ?? []) {
      unread += Buffer.from(bytes).toString();
      const frames = unread.split("\n\n");
      unread = frames.pop() ?? "";
      for (const frame of frames) take(frame.split("\n"));
    }
  };
  const take = (lines: readonly string[]) => {
    const field = (name: string) =>
      lines.find((line) => line.startsWith(`${name}: `))?.slice(name.length + 2);
    const data = field("data");
    if (data === undefined || field("event") === "ping") return;
    const event = JSON.parse(data) as SessionEvent;
    assert.equal(field("event"), event.type);
    const id = field("id");
    if (id !== undefined) frameIds.push(id);
    events.push(event);
  };
  const ended = read().catch((error: unknown) => {
    if (!closing.signal.aborted) throw error;
  });
  return {
    events,
    frameIds,
    /** The server has ended it. */
    ended,
    /** All up to the first event of this type behind so many others. */
    through: (type: string, from = 0): Promise<SessionEvent[]> =>
      until(() => {
        const at = events.findIndex((event, index) => index >= from && event.type === type);
        return Promise.resolve(at !== -1 && events.slice(from, at + 1));
      }, `${type} on the stream`),
    [Symbol.asyncDispose]: async () => {
      closing.abort();
      await ended;
    },
  };
}
