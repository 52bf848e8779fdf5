// What the tests of work share: an environment with a key, sessions that want a worker, and a worker made by hand.
import assert from "node:assert/strict";
import { sql } from "../../kernel/sql/statement.ts";
import { sweepPart } from "../../server/environments/module.ts";
import { answerLostCalls } from "../../server/sessions/module.ts";
import type { Work, WorkHeartbeat } from "../../server/environments/work/schema.ts";
import type { Answer, House } from "../house.ts";
import { environmentsOf, type NewKey } from "./environments-house.ts";
import { computer, custom, ofType, said, sessionsOf } from "./sessions-house.ts";
import { until } from "./support.ts";

export type { Work, WorkHeartbeat };
export type Hosted = Awaited<ReturnType<ReturnType<typeof workOf>["open"]>>;

export function workOf(houseOf: () => House) {
  const env = environmentsOf(houseOf);
  const sessions = sessionsOf(houseOf);
  /** An environment, and what its workers call. */
  const open = async () => {
    const { id } = await env.makeHosted();
    const { id: keyId, secret: key }: NewKey = await env.makeKey(id);
    const at = (path: string) => `/${id}/work${path}`;
    const poll = async (query = ""): Promise<Work | undefined> => {
      const { status, body } = await env.call("GET", at(`/poll${query}`), { key });
      assert.ok(status === 200 || status === 204, `${status} ${JSON.stringify(body)}`);
      return status === 200 ? (body as Work) : undefined;
    };
    const tryAck = (work: string) => env.call("POST", at(`/${work}/ack`), { key });
    const tryBeat = (work: string, token: string, expected?: string, more = "") =>
      env.call(
        "POST",
        at(
          `/${work}/heartbeat?${expected === undefined ? "" : `expected_last_heartbeat=${expected}`}${more}`,
        ),
        { key: token },
      );
    const beat = async (work: string, token: string, expected = "NO_HEARTBEAT", more = "") =>
      good<WorkHeartbeat>(await tryBeat(work, token, expected, more));
    const tryStop = (work: string, token: string | undefined, body: object = {}) =>
      env.call("POST", at(`/${work}/stop`), { body, ...(token !== undefined && { key: token }) });
    const waited = async (query = "?block_ms=999") =>
      until(async () => poll(query), "work to be handed out");
    return {
      id,
      keyId,
      key,
      poll,
      waited,
      tryAck,
      tryBeat,
      beat,
      tryStop,
      at,
      /** Handed out and acknowledged. */
      take: async () => {
        const work = await waited();
        good(await tryAck(work.id));
        return { work, token: tokenOf(work) };
      },
      read: (work: string) => env.good<Work>("GET", at(`/${work}`)),
      list: () => env.all<Work>(at(""), {}, { key }),
      /** A session whose agent calls these tools, and waits. */
      calling: async (calls = 'bash {"command": "ls"}', policy = "always_allow") => {
        const agent = await sessions.agent({ tools: [computer(policy), custom("look")] });
        const session = await sessions.begin({
          agent: agent.id,
          environment_id: id,
          initial_events: [said(`[[tools ${calls}]]`)],
        });
        const events = await sessions.idle(session.id);
        const ids = events
          .filter(({ type }) => /^agent\.(custom_)?tool_use$/.test(type))
          .map((event) => event.id);
        return { session: session.id, calls: ids };
      },
    };
  };
  return {
    env,
    sessions,
    open,
    /** As a process does every five seconds; so many of them at once. */
    sweep: async (processes = 1) => {
      const starting = Array.from({ length: processes }, () => sweepPart(answerLostCalls));
      const stops = starting.map((each) => each.start(houseOf().world));
      await Promise.all(stops.map(async (stop) => stop()));
    },
    /** As if so much time had passed since it was last heard of. */
    pass: async (work: string, seconds: number) => {
      await houseOf().world.db.query(sql`
        update environment_work set due_at = due_at - ${seconds}::integer * interval '1 second',
          handed_out_at = handed_out_at - ${seconds}::integer * interval '1 second'
        where id = ${work}`);
    },
    resultsOf: async (session: string) =>
      ofType(await sessions.events(session), "user.tool_result"),
  };
}

/** Most are about work; the others say what they are about. */
// oxlint-disable-next-line typescript/no-unnecessary-type-parameters
export function good<T = Work>({ status, body }: Answer): T {
  assert.equal(status, 200, JSON.stringify(body));
  return body as T;
}

export const tokenOf = ({ secret }: Work): string => {
  const read = JSON.parse(Buffer.from(secret ?? "", "base64url").toString()) as {
    sessions_token: string;
  };
  return read.sessions_token;
};
