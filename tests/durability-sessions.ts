// Sessions that are talked to while what works on them is killed: what was acknowledged is there once, and has a turn.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Random } from "../kernel/base/random.ts";
import { ask, killGroup, nothingLeft, startPlinth, type Reply } from "./bad-days/plinth.ts";
import {
  killDatabase,
  moment,
  oneOf,
  workersOf,
  type KillRounds,
  type RoundOutcome,
} from "./durability-kill.ts";
import { kill, until } from "./kernel/sql-harness.ts";

const victims = ["worker", "worker", "first process", "database"] as const;
const sessionsMade = 12;
const limit = 1_000;

interface Event {
  id: string;
  type: string;
  processed_at: string | null;
  content?: { text: string }[];
  custom_tool_use_id?: string;
  tool_use_id?: string;
}

/** One that is talked to, and what of it was acknowledged. */
interface Talk {
  id: string;
  acknowledged: Set<string>;
}

export async function sessionRounds(
  directory: string,
  workers: number,
  random: Random,
): Promise<KillRounds> {
  const start = () => startPlinth(directory, { args: ["--workers", String(workers)] });
  let plinth = await start();
  const key = readFileSync(join(directory, "first-key"), "utf8").trim();
  const headers = { "x-api-key": key, "anthropic-beta": "managed-agents-2026-04-01" };
  const call = (method: string, path: string, body?: object): Promise<Reply> =>
    ask(plinth.url, method, path, { headers, ...(body !== undefined && { body }), msMax: 10_000 });
  const good = async <T>(method: string, path: string, body?: object): Promise<T> => {
    const reply = await call(method, path, body);
    if (reply.status !== 200) throw new Error(`${method} ${path}: ${JSON.stringify(reply.body)}`);
    return reply.body as T;
  };
  const talks = await makeTalks(good);
  let count = 0;

  const say = async ({ id, acknowledged }: Talk, stopped: () => boolean): Promise<void> => {
    while (!stopped()) {
      const words = `message ${count++}.`;
      const how = oneOf(["", "[[tool one {}]]", "[[tokens 30]] [[rate 100]]"], random);
      const content = [{ type: "text", text: `${words} ${how}` }];
      const events = [{ type: "user.message", content }];
      const { status } = await call("POST", `/v1/sessions/${id}/events`, { events });
      if (status === 200) acknowledged.add(words);
      await new Promise((resolve) => setTimeout(resolve, status === 200 ? 150 : 30));
    }
  };
  const eventsOf = async ({ id }: Talk): Promise<Event[]> => {
    const events: Event[] = [];
    for (let page: string | null = ""; page !== null;) {
      const query = `limit=${limit}${page === "" ? "" : `&page=${page}`}`;
      const read: { data: Event[]; next_page: string | null } = await good(
        "GET",
        `/v1/sessions/${id}/events?${query}`,
      );
      events.push(...read.data);
      page = read.next_page;
    }
    return events;
  };
  /** Answers what waits, until nothing does. */
  const rest = async (talk: Talk): Promise<Event[]> => {
    for (;;) {
      const events = await eventsOf(talk);
      const open = openCalls(events);
      const isOver = events.at(-1)?.type === "session.status_idle" && open.length === 0;
      if (isOver && events.every(({ processed_at: at }) => at !== null)) return events;
      for (const id of open) {
        const content = [{ type: "text", text: "done" }];
        const given = [{ type: "user.custom_tool_result", custom_tool_use_id: id, content }];
        await call("POST", `/v1/sessions/${talk.id}/events`, { events: given });
      }
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  };

  async function round(): Promise<RoundOutcome> {
    const victim = oneOf(victims, random);
    const countAll = () => talks.reduce((sum, { acknowledged }) => sum + acknowledged.size, 0);
    const before = countAll();
    let isStopped = false;
    const talking = Promise.all(talks.map((talk) => say(talk, () => isStopped)));
    await until("a message is acknowledged", () => countAll() > before + sessionsMade);
    await moment(random);
    if (victim === "worker") kill(workersOf(plinth.pid)[0] ?? 0);
    else if (victim === "database") killDatabase(directory, random);
    else kill(plinth.pid);
    if (victim === "first process") {
      await plinth.ended;
      plinth = await start();
    }
    const after = countAll();
    await until("messages go on", () => countAll() > after + sessionsMade);
    isStopped = true;
    await talking;
    const restedAt = performance.now();
    const faults: string[] = [];
    for (const talk of talks) faults.push(...faultsOf(talk, await rest(talk)));
    const rested = Math.round(performance.now() - restedAt);
    const acknowledged = countAll() - before;
    return {
      acknowledged,
      faults,
      summary: `killed ${victim}, ${acknowledged} messages acknowledged, all at rest after ${rested} ms`,
    };
  }

  return {
    round,
    finish: async () => {
      const { code, signal } = await plinth.stop();
      killGroup(plinth.child);
      const faults = code === 0 ? [] : [`SIGTERM ended it with ${code ?? signal}`];
      await nothingLeft(directory).catch((error: Error) => faults.push(error.message));
      return faults;
    },
  };
}

async function makeTalks(
  good: <T>(method: string, path: string, body?: object) => Promise<T>,
): Promise<Talk[]> {
  const tool = {
    type: "custom",
    name: "one",
    description: "Does it",
    input_schema: { type: "object" },
  };
  const agent = await good<{ id: string }>("POST", "/v1/agents", {
    name: "Helper",
    model: "sim-small",
    tools: [tool],
  });
  const config = { type: "self_hosted" };
  const environment = await good<{ id: string }>("POST", "/v1/environments", {
    name: "lab",
    config,
  });
  const talks: Talk[] = [];
  for (let made = 0; made < sessionsMade; made++) {
    const body = { agent: agent.id, environment_id: environment.id };
    const { id } = await good<{ id: string }>("POST", "/v1/sessions", body);
    talks.push({ id, acknowledged: new Set() });
  }
  return talks;
}

function openCalls(events: readonly Event[]): string[] {
  const answered = new Set(
    events.flatMap((event) => [event.custom_tool_use_id, event.tool_use_id]),
  );
  return events
    .filter(({ id, type }) => type === "agent.custom_tool_use" && !answered.has(id))
    .map(({ id }) => id);
}

/** Everything that was acknowledged, once; ids that come once; a result for each call; spans that end. */
function faultsOf({ id, acknowledged }: Talk, events: readonly Event[]): string[] {
  const faults: string[] = [];
  const words = events
    .filter(({ type }) => type === "user.message")
    .map(({ content }) => /^message \d+\./.exec(content?.[0]?.text ?? "")?.[0]);
  for (const each of acknowledged) {
    const times = words.filter((word) => word === each).length;
    if (times !== 1) faults.push(`${id}: ${each} was acknowledged, and is there ${times} times`);
  }
  const ids = events.map((event) => event.id);
  if (new Set(ids).size !== ids.length) faults.push(`${id}: an event is there twice`);
  const of = (type: string) => events.filter((event) => event.type === type).length;
  if (of("span.model_request_start") !== of("span.model_request_end"))
    faults.push(`${id}: a span has no end`);
  if (of("session.status_running") > of("session.status_idle") + of("session.status_rescheduled"))
    faults.push(`${id}: a turn has no end`);
  const results = events.flatMap((event) => event.custom_tool_use_id ?? event.tool_use_id ?? []);
  if (new Set(results).size !== results.length) faults.push(`${id}: a call has two results`);
  return faults;
}
