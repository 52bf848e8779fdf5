// What the tests of kept conversations share: a house with a set clock, and turns asked of it.
import assert from "node:assert/strict";
import { makeManualClock, systemClock } from "../../kernel/base/clock.ts";
import { sql } from "../../kernel/sql/statement.ts";
import { openHouse, type Answer, type Ask, type House, type HouseOptions } from "../house.ts";

export const threadsBeta = "message-threads-2026-08-12";
export const betas = { "vendor-beta": threadsBeta };
export const create = { type: "create" };
export const continuing = (id: string) => ({ type: "continue", previous_message_id: id });
export const user = (content: unknown) => ({ role: "user", content });

export interface ThreadsHouse extends AsyncDisposable {
  house: House;
  /** The wall clock goes on by so much. */
  pass(ms: number): void;
  post(body: Record<string, unknown>, ask?: Ask): Promise<Answer>;
  /** A turn that is answered; gives the message. */
  turn(body: Record<string, unknown>, ask?: Ask): Promise<Answer["body"]>;
  /** A first turn. */
  created(text: string, more?: Record<string, unknown>): Promise<Answer["body"]>;
  /** What is kept of this turn, and how long its thread is. */
  kept(id: string): Promise<{ position: number | null; turns: number } | undefined>;
}

export const body = { model: "sim-medium", max_tokens: 400 };

export async function openThreads(options: HouseOptions = {}): Promise<ThreadsHouse> {
  const wall = makeManualClock(new Date("2026-11-20T12:00:00Z"));
  const house = await openHouse({ clock: { ...systemClock, now: () => wall.now() }, ...options });
  const post: ThreadsHouse["post"] = (given, ask = {}) =>
    house.ask("POST", "/v1/messages", {
      key: house.organizations.platform.api_key,
      headers: betas,
      body: { ...body, ...given },
      ...ask,
    });
  const turn: ThreadsHouse["turn"] = async (given, ask) => {
    const { status, body: message } = await post(given, ask);
    assert.equal(status, 200, JSON.stringify(message));
    return message;
  };
  return {
    house,
    pass: (ms) => wall.advance(ms),
    post,
    turn,
    created: (text, more = {}) => turn({ messages: [user(text)], thread: create, ...more }),
    kept: async (id) => {
      const rows = await house.world.db.query<{ position: number | null; turns: number }>(sql`
        select turn.position, thread.turns
        from message_thread_turns as turn join message_threads as thread on thread.id = turn.thread_id
        where turn.message_id = ${id}`);
      return rows[0];
    },
    [Symbol.asyncDispose]: () => house[Symbol.asyncDispose](),
  };
}

export const errorOf = ({ status, body: reply }: Answer) => ({
  status,
  code: reply.error?.details?.error_code as string | undefined,
  message: String(reply.error?.message),
});

export const textOf = (message: Answer["body"]): string =>
  (message.content as { text?: string }[]).map(({ text = "" }) => text).join("");
