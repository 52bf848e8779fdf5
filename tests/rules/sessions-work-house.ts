// What the tests of turns, outcomes and processes share: sessions that are worked on, their events and what they cost.
import assert from "node:assert/strict";
import { systemClock } from "../../kernel/base/clock.ts";
import { sql } from "../../kernel/sql/statement.ts";
import { openHouse, type Ask, type House, type HouseOptions } from "../house.ts";
import { queryPosted } from "../posted.ts";
import { managedAgents } from "./agents-house.ts";
import { hours, until } from "./support.ts";

export interface SessionEvent {
  id: string;
  type: string;
  processed_at: string | null;
  // Events of every type; what the tests claim about them is what they check.
  // oxlint-disable-next-line typescript/no-explicit-any
  [field: string]: any;
}

export interface Sums {
  input: number;
  output: number;
  read: number;
  written: number;
  list: number;
}

export interface LedgerRow extends Sums {
  model: string;
  outcome: string;
  kind: string;
  agent: string;
  environment: string;
  deployment: string | null;
}

export interface Making {
  agent?: Record<string, unknown>;
  session?: Record<string, unknown>;
  /** Whose it is; the platform's workspace unless it is said. */
  who?: Pick<Ask, "key" | "cookie">;
}

/** One cent a token that is written, nothing for those that are read. */
export const dear = "dear";
/** A window of 1,000 tokens, which fills at 800. */
export const narrow = "narrow";

export const sections = {
  models: {
    upstreams: {},
    models: [
      { id: dear, upstream: "simulator", prices: { input: 0, output: 10_000_000 } },
      { id: narrow, upstream: "simulator", max_input_tokens: 1_000, max_tokens: 1_000 },
    ],
  },
};

export const said = (text: string) => ({
  type: "user.message",
  content: [{ type: "text", text }],
});

export const typesOf = (events: readonly SessionEvent[]) => events.map(({ type }) => type);
export const textOf = ({ content }: SessionEvent): string =>
  (content as { text: string }[]).map(({ text }) => text).join("");
export const ofType = (events: readonly SessionEvent[], type: string) =>
  events.filter((event) => event.type === type);

/** Why each turn stopped, in their order. */
export const stopsOf = (events: readonly SessionEvent[]): string[] =>
  ofType(events, "session.status_idle").map(({ stop_reason: reason }) => reason.type as string);

export type SessionHouse = Awaited<ReturnType<typeof openSessionHouse>>;

export async function openSessionHouse(options: HouseOptions = {}) {
  const shift = { ms: 0 };
  const now = () => new Date(systemClock.now().getTime() + shift.ms);
  const house = await openHouse({ sections, ...options, clock: { ...systemClock, now } });
  return {
    house,
    ...house.organizations,
    ...sessionsOf(house),
    /** What is to be tried again later is due as soon as it is written: by the database's clock it is long past. */
    withoutPauses: async <T>(work: () => Promise<T>): Promise<T> => {
      shift.ms = -hours(24);
      return work().finally(() => (shift.ms = 0));
    },
    /** From now on the server's clock is so far ahead. */
    shift,
    [Symbol.asyncDispose]: () => house[Symbol.asyncDispose](),
  };
}

function sessionsOf(house: House) {
  const own = { key: house.organizations.platform.api_key };
  const good = async (method: string, path: string, ask: Ask = {}) => {
    const { status, body } = await house.ask(method, path, { ...ask, headers: managedAgents });
    assert.equal(status, 200, `${method} ${path}: ${JSON.stringify(body)}`);
    return body;
  };
  const environments = new Map<string, Promise<string>>();
  const environmentOf = (who: Pick<Ask, "key" | "cookie">): Promise<string> => {
    const name = JSON.stringify(who);
    const body = { name: "lab", config: { type: "self_hosted" } };
    const made = good("POST", "/v1/environments", { ...who, body });
    const known = environments.get(name) ?? made.then(({ id }) => id as string);
    environments.set(name, known);
    return known;
  };
  const read = (id: string, who = own) => good("GET", `/v1/sessions/${id}`, who);
  const eventsOf = async (id: string, who: Pick<Ask, "key" | "cookie"> = own) =>
    (await good("GET", `/v1/sessions/${id}/events?limit=1000`, who)).data as SessionEvent[];
  const send = (id: string, events: readonly object[], who: Pick<Ask, "key" | "cookie"> = own) =>
    good("POST", `/v1/sessions/${id}/events`, { ...who, body: { events } });
  /** When its events are so. */
  const seen = (
    id: string,
    what: string,
    isSo: (events: SessionEvent[]) => boolean,
    who: Pick<Ask, "key" | "cookie"> = own,
  ): Promise<SessionEvent[]> =>
    until(async () => {
      const events = await eventsOf(id, who);
      return isSo(events) && events;
    }, what);
  /** When nothing of what was sent is left to do. */
  const finished = (id: string, who: Pick<Ask, "key" | "cookie"> = own): Promise<SessionEvent[]> =>
    seen(
      id,
      `the end of ${id}`,
      (events) =>
        events.at(-1)?.type === "session.status_idle" &&
        events.every(({ processed_at: at }) => at !== null),
      who,
    );
  return {
    good,
    read,
    eventsOf,
    send,
    seen,
    finished,
    environmentOf,
    begin: async ({ agent = {}, session = {}, who = own }: Making = {}): Promise<string> => {
      const made = await good("POST", "/v1/agents", {
        ...who,
        body: { name: "Helper", model: "sim-small", ...agent },
      });
      const body = { agent: made.id, environment_id: await environmentOf(who), ...session };
      return (await good("POST", "/v1/sessions", { ...who, body })).id as string;
    },
    /** Says each in a turn of its own, and answers all events. */
    talk: async (id: string, ...texts: readonly string[]): Promise<SessionEvent[]> => {
      for (const text of texts) {
        await send(id, [said(text)]);
        await finished(id);
      }
      return eventsOf(id);
    },
    ledgerOf: (id: string) =>
      queryPosted<LedgerRow>(
        house.world.db,
        sql`
        select model, outcome, kind, agent_id as agent, environment_id as environment,
          deployment_id as deployment, input_tokens as input, output_tokens as output,
          cache_read_tokens as read, cache_write_5m_tokens + cache_write_1h_tokens as written,
          list_amount_nano as list
        from ledger where session_id = ${id} order by at, id`,
      ),
  };
}

/** That a session says of itself what the ledger says of it; answers the ledger's rows. */
export async function expectExact(s: SessionHouse, id: string): Promise<LedgerRow[]> {
  const rows = await s.ledgerOf(id);
  const sum = (field: keyof Sums) => rows.reduce((total, row) => total + row[field], 0);
  const { usage } = await s.read(id);
  const { cache_creation: written } = usage;
  assert.deepEqual(
    {
      input: usage.input_tokens,
      output: usage.output_tokens,
      read: usage.cache_read_input_tokens,
      written: written.ephemeral_5m_input_tokens + written.ephemeral_1h_input_tokens,
      cost: usage.list_cost.amount,
    },
    {
      input: sum("input"),
      output: sum("output"),
      read: sum("read"),
      written: sum("written"),
      cost: String(Math.ceil(sum("list") / 10_000_000)),
    },
  );
  return rows;
}
