// What the tests of fallbacks over HTTP share: a house with a busy model and a set wall clock, and what it is asked.
import assert from "node:assert/strict";
import { makeManualClock, systemClock, type Clock } from "../../kernel/base/clock.ts";
import { sql } from "../../kernel/sql/statement.ts";
import { openHouse, type Answer } from "../house.ts";
import { queryPosted } from "../posted.ts";

export const fallback07 = "server-side-fallback-2026-07-01";
export const fallback06 = "server-side-fallback-2026-06-01";
export const credit07 = "fallback-credit-2026-07-01";

export interface Asking {
  betas?: readonly string[];
  key?: string;
}

let count = 0;
/** Bodies that are never the same twice, unless they are sent again. */
export const body = (content: string, fields: object = {}) => ({
  model: "sim-large",
  max_tokens: 300,
  messages: [{ role: "user", content: `${++count}: ${content}` }],
  ...fields,
});

interface Hop {
  model: string;
  outcome: string;
  input: number;
  output: number;
  nano: number;
}

export type FallbackHouse = Awaited<ReturnType<typeof openFallbackHouse>>;

export async function openFallbackHouse() {
  const wall = makeManualClock(new Date("2026-11-20T12:00:00Z"));
  /** The wall clock is set; leases and waits go on as usual. */
  const clock: Clock = { ...systemClock, now: () => wall.now() };
  const house = await openHouse({
    clock,
    sections: {
      models: {
        upstreams: { busy: { kind: "simulator", scenario: [{ fail: { status: 529 } }] } },
        models: [
          { id: "busy", upstream: "busy", max_tokens: 64_000 },
          { id: "sim-large", allowed_fallback_models: ["sim-medium", "sim-small", "busy"] },
        ],
      },
    },
  });
  const { platform } = house.organizations;
  return {
    house,
    platform,
    wall,
    post: (sent: object, { betas = [], key = platform.api_key }: Asking = {}): Promise<Answer> =>
      house.ask("POST", "/v1/messages", {
        key,
        headers: betas.length > 0 ? { "anthropic-beta": betas.join(",") } : {},
        body: sent,
      }),
    hopsOf: ({ headers }: Pick<Answer, "headers">) =>
      queryPosted<Hop>(
        house.world.db,
        sql`select model, outcome, input_tokens as input,
        output_tokens as output, amount_nano as nano from ledger
        where request_id = ${headers.get("request-id")} order by id`,
      ),
  };
}

/** The last data of a stream with `stop_details`, and everything that came. */
export function streamed(answer: Answer) {
  assert.equal(answer.status, 200, JSON.stringify(answer.body));
  const events = String(answer.body)
    .trimEnd()
    .split("\n\n")
    .map((frame) => JSON.parse(frame.slice(frame.indexOf("data: ") + 6)));
  return { events, end: events.find(({ type }) => type === "message_delta") };
}
