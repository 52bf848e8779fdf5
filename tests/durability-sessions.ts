// Sessions that are talked to while what works on them is killed: what was acknowledged is there once, and has a turn.
import { existsSync, globSync, readFileSync } from "node:fs";
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
import { kill, processesOf, until } from "./kernel/sql-harness.ts";

const victims = ["worker", "worker", "first process", "database"] as const;
const sessionsMade = 12;
/** Of these: in a cloud environment, with tools that this server runs. */
const cloudMade = 4;
const limit = 1_000;

interface Event {
  id: string;
  type: string;
  /** Of calls. */
  name?: string;
  input?: { command?: string };
  processed_at: string | null;
  content?: { text: string }[];
  custom_tool_use_id?: string;
  tool_use_id?: string;
  is_error?: boolean;
}

/** One that is talked to, and what of it was acknowledged. */
interface Talk {
  id: string;
  isCloud: boolean;
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
  /** That were seen in files of sandboxes. */
  let lines = 0;

  const say = async (talk: Talk, stopped: () => boolean): Promise<void> => {
    const { id, isCloud, acknowledged } = talk;
    while (!stopped()) {
      const words = `message ${count++}.`;
      const plain = oneOf(["", "[[tool one {}]]", "[[tokens 30]] [[rate 100]]"], random);
      const how = isCloud && random.fraction() < 0.7 ? workOf(`line-${count}`, random) : plain;
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

  /** Each call wrote its line once at most; those whose result says so have written it, in their order. */
  const faultsOfFiles = async (talk: Talk): Promise<string[]> => {
    const content = [{ type: "text", text: `look. [[tool bash {"command":"cat lines"}]]` }];
    const sent = await call("POST", `/v1/sessions/${talk.id}/events`, {
      events: [{ type: "user.message", content }],
    });
    if (sent.status !== 200) return [`${talk.id}: its file could not be asked for`];
    const events = await rest(talk);
    lines += linesIn(events).length;
    return faultsOfLines(talk, events);
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
    for (const talk of talks.filter(({ isCloud }) => isCloud))
      faults.push(...(await faultsOfFiles(talk)));
    const rested = Math.round(performance.now() - restedAt);
    const acknowledged = countAll() - before;
    return {
      acknowledged,
      faults,
      summary: `killed ${victim}, ${acknowledged} messages acknowledged, ${lines} lines seen, all at rest after ${rested} ms`,
    };
  }

  return {
    round,
    finish: async () => {
      const { code, signal } = await plinth.stop();
      killGroup(plinth.child);
      const faults = code === 0 ? [] : [`SIGTERM ended it with ${code ?? signal}`];
      if (lines === 0) faults.push("no tool has run in any sandbox");
      await nothingLeft(directory).catch((error: Error) => faults.push(error.message));
      await new Promise((resolve) => setTimeout(resolve, leftoverMs));
      return [...faults, ...leftoversOf(directory)];
    },
  };
}

/** What is left of sandboxes so long after the end should not be there. */
const leftoverMs = 15_000;

function leftoversOf(directory: string): string[] {
  const readIfThere = (path: string) => {
    try {
      return readFileSync(path, "utf8");
    } catch {
      return ""; // it ended just now
    }
  };
  const loops = globSync("/sys/block/loop*/loop/backing_file").filter((path) =>
    readIfThere(path).includes(directory),
  );
  const groups = controlGroups().filter((path) => !earlier.has(path) && isOfNobody(path));
  const processes = processesOf(waiterWord);
  const isMounted = readFileSync("/proc/self/mountinfo", "utf8").includes(directory);
  return [
    ...loops.map((path) => `a loop device is left: ${path}`),
    ...groups.map((path) => `a control group is left: ${path}`),
    ...processes.map((pid) => `a process of an agent is left: ${pid}`),
    ...(isMounted ? ["a mount is left"] : []),
  ];
}

const controlGroups = (): string[] =>
  globSync("/sys/fs/cgroup/**/plinth-sandboxes/*-sesn_*", { exclude: ["**/unified/**"] });
/** Other servers of this machine had ended without taking them away. */
const earlier = new Set(controlGroups());

/** Those of other servers on this machine are theirs. */
const isOfNobody = (path: string): boolean =>
  !existsSync(`/proc/${/(\d+)-sesn_[^/]*$/.exec(path)?.[1] ?? ""}`);

/** In the command line of what agents leave running in the background. */
const waiterWord = `plinth-durability-${process.pid}`;

/** Appends lines that bear their call's name, some after a while, some beside a program that stays. */
function workOf(name: string, random: Random): string {
  const calls = [1, 2].map((at) => {
    const pause = random.fraction() < 0.5 ? "" : "sleep 0.3; ";
    const stays = random.fraction() < 0.3 ? `(exec -a ${waiterWord} sleep 1000) & ` : "";
    return `bash {"command":"${pause}${stays}echo ${name}-${at} >>lines; sync lines"}`;
  });
  return `[[tools ${calls.join(" | ")}]]`;
}

/** As the newest call has shown them. */
const linesIn = (events: readonly Event[]): string[] =>
  (events.findLast(({ type }) => type === "agent.tool_result")?.content?.[0]?.text ?? "")
    .split("\n")
    .filter((line) => line.startsWith("line-"));

function faultsOfLines({ id }: Talk, events: readonly Event[]): string[] {
  const results = events.filter(({ type }) => type === "agent.tool_result");
  const lines = linesIn(events);
  const faults: string[] = [];
  if (new Set(lines).size !== lines.length) faults.push(`${id}: a call ran twice`);
  for (const call of events) {
    const line = /echo (line-\S+) >>lines/.exec(call.input?.command ?? "")?.[1];
    const result = results.find((each) => each.tool_use_id === call.id);
    if (line !== undefined && result?.is_error === false && !lines.includes(line))
      faults.push(`${id}: ${line} is said to be written, and is lost`);
  }
  return faults;
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
  const computer = { type: "agent_toolset_20260401", default_config: allowed };
  const beginIn = async (type: string, tools: object[]): Promise<object> => {
    const agent = await good<{ id: string }>("POST", "/v1/agents", {
      name: "Helper",
      model: "sim-small",
      tools,
    });
    const environment = await good<{ id: string }>("POST", "/v1/environments", {
      name: type,
      config: { type },
    });
    return { agent: agent.id, environment_id: environment.id };
  };
  const bodies = {
    plain: await beginIn("self_hosted", [tool]),
    cloud: await beginIn("cloud", [tool, computer]),
  };
  const talks: Talk[] = [];
  for (let made = 0; made < sessionsMade; made++) {
    const isCloud = made < cloudMade;
    const body = isCloud ? bodies.cloud : bodies.plain;
    const { id } = await good<{ id: string }>("POST", "/v1/sessions", body);
    talks.push({ id, isCloud, acknowledged: new Set() });
  }
  return talks;
}

const allowed = { enabled: true, permission_policy: { type: "always_allow" } };

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
