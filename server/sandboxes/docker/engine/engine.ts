// The few verbs of the Docker Engine API that sandboxes are made with.
import type { Clock } from "../../../../kernel/base/clock.ts";
import type { ShellStreams } from "../../shell/connection.ts";
import { type Asking, connectEngine, type EngineConnection, EngineError } from "./connection.ts";

export interface DaemonFacts {
  version: string;
  isRootless: boolean;
  /** Users of containers are others on the machine. */
  isRemapped: boolean;
  hasSeccomp: boolean;
  defaultRuntime: string;
  /** By name, the program or the containerd shim that each one is. */
  runtimes: ReadonlyMap<string, string>;
}

export interface ImageFacts {
  /** Directories that it wants to be writable wherever it runs. */
  volumes: readonly string[];
}

export interface ListedContainer {
  id: string;
  labels: Readonly<Record<string, string>>;
}

export interface Engine {
  readDaemon(): Promise<DaemonFacts>;
  /** Undefined where the daemon does not have it. */
  findImage(name: string): Promise<ImageFacts | undefined>;
  /** The container's id. */
  create(name: string, spec: object): Promise<string>;
  /** The standard streams of its first program; to be asked for before it starts. */
  attach(id: string): Promise<ShellStreams>;
  start(id: string): Promise<void>;
  /** The number of its first process, as the daemon's machine counts them. */
  pidOf(id: string): Promise<number>;
  /** Ends it, and resolves when it is gone. */
  remove(id: string): Promise<void>;
  /** Resolves when it is gone, whyever. */
  waitForRemoval(id: string): Promise<void>;
  list(label: string): Promise<ListedContainer[]>;
  /** Runs another program in it. */
  run(id: string, words: readonly string[]): Promise<{ execId: string; streams: ShellStreams }>;
  /** Null while it runs, and when its container is gone. */
  exitCodeOf(execId: string): Promise<number | null>;
}

/** Daemons from 2020 on speak it; newer ones may have left it behind, and are asked in the oldest that they speak. */
const ourVersion = "1.41";
/** Making and starting a container takes a quarter of a second; a machine that is busy takes longer. */
const requestMs = 30_000;

interface Asker {
  ask(
    method: Asking["method"],
    path: string,
    /** Null: it may take for ever. */
    options?: { body?: unknown; limitMs?: number | null },
  ): Promise<unknown>;
  stream(path: string, body?: unknown): Promise<ShellStreams>;
}

/** In the words of a version that both sides speak. */
function makeAsker(connection: EngineConnection): Asker {
  let prefix: string | undefined;

  const findPrefix = async (): Promise<string> => {
    const asking = { method: "GET", path: "/version", limitMs: requestMs } as const;
    const found = await connection.ask(asking);
    const [newest, oldest] = [textOf(found, "ApiVersion"), textOf(found, "MinAPIVersion")];
    if (compareVersions(newest, ourVersion) < 0)
      throw new EngineError(
        `The Docker daemon is too old: it speaks the API ${newest}, and ${ourVersion} (Docker 20.10) is needed.`,
      );
    return `/v${compareVersions(oldest, ourVersion) > 0 ? oldest : ourVersion}`;
  };

  const prefixed = async (asking: Asking): Promise<Asking> => {
    prefix ??= await findPrefix();
    return { ...asking, path: `${prefix}${asking.path}` };
  };

  return {
    async ask(method, path, { body, limitMs = requestMs } = {}) {
      const limit = limitMs === null ? {} : { limitMs };
      return await connection.ask(await prefixed({ method, path, body, ...limit }));
    },
    async stream(path, body) {
      const asking = await prefixed({ method: "POST", path, body, limitMs: requestMs });
      return await connection.openStreams(asking);
    },
  };
}

export function openEngine(socketPath: string, clock: Clock): Engine {
  const { ask, stream } = makeAsker(connectEngine(socketPath, clock));

  const waitForRemoval = async (id: string): Promise<void> => {
    const path = `/containers/${id}/wait?condition=removed`;
    await unless(404, ask("POST", path, { limitMs: null }));
  };

  return {
    readDaemon: async () => daemonOf(await ask("GET", "/info")),
    async findImage(name) {
      const found = await unless(404, ask("GET", `/images/${encodeURIComponent(name)}/json`));
      return found === undefined
        ? undefined
        : { volumes: keysOf(valueOf(found, "Config", "Volumes")) };
    },
    create: async (name, body) =>
      textOf(await ask("POST", `/containers/create?name=${name}`, { body }), "Id"),
    attach: (id) => stream(`/containers/${id}/attach?stream=1&stdin=1&stdout=1&stderr=1`),
    start: async (id) => void (await ask("POST", `/containers/${id}/start`)),
    async pidOf(id) {
      const pid = valueOf(await ask("GET", `/containers/${id}/json`), "State", "Pid");
      if (typeof pid === "number" && pid > 0) return pid;
      throw new EngineError("The container has no process.");
    },
    async remove(id) {
      try {
        await unless(404, ask("DELETE", `/containers/${id}?force=1&v=1`));
      } catch (error) {
        // It is on its way already.
        if (!(error instanceof EngineError) || error.status !== 409) throw error;
        await waitForRemoval(id);
      }
    },
    waitForRemoval,
    async list(label) {
      const filters = encodeURIComponent(JSON.stringify({ label: [label] }));
      const found = await ask("GET", `/containers/json?all=1&filters=${filters}`);
      if (!Array.isArray(found)) throw new EngineError("What answers is no Docker daemon.");
      return found.map((each) => ({ id: textOf(each, "Id"), labels: textsOf(each, "Labels") }));
    },
    async run(id, words) {
      const streams = { AttachStdin: true, AttachStdout: true, AttachStderr: true };
      const body = { ...streams, Tty: false, Cmd: words };
      const execId = textOf(await ask("POST", `/containers/${id}/exec`, { body }), "Id");
      const started = { Detach: false, Tty: false };
      return { execId, streams: await stream(`/exec/${execId}/start`, started) };
    },
    async exitCodeOf(execId) {
      const found = await unless(404, ask("GET", `/exec/${execId}/json`));
      const code = valueOf(found, "ExitCode");
      return typeof code === "number" && valueOf(found, "Running") === false ? code : null;
    },
  };
}

/** Undefined where the daemon answers with that status. */
async function unless<Result>(status: number, asked: Promise<Result>): Promise<Result | undefined> {
  try {
    return await asked;
  } catch (error) {
    if (error instanceof EngineError && error.status === status) return undefined;
    throw error;
  }
}

function daemonOf(info: unknown): DaemonFacts {
  const security = valueOf(info, "SecurityOptions");
  const options = Array.isArray(security) ? security.map(String) : [];
  const has = (name: string) => options.some((option) => option.split(",")[0] === `name=${name}`);
  const runtimes = valueOf(info, "Runtimes");
  const programOf = (name: string): string => {
    const of = (key: string) => valueOf(runtimes, name, key);
    return [of("path"), of("runtimeType")].find((value) => typeof value === "string") ?? name;
  };
  return {
    version: textOf(info, "ServerVersion"),
    isRootless: has("rootless"),
    isRemapped: has("userns"),
    hasSeccomp: has("seccomp"),
    defaultRuntime: textOf(info, "DefaultRuntime"),
    runtimes: new Map(keysOf(runtimes).map((name) => [name, programOf(name)])),
  };
}

function valueOf(found: unknown, ...path: readonly string[]): unknown {
  return path.reduce<unknown>(
    (value, key) =>
      typeof value === "object" && value !== null ? Reflect.get(value, key) : undefined,
    found,
  );
}

function textOf(found: unknown, key: string): string {
  const value = valueOf(found, key);
  if (typeof value === "string") return value;
  throw new EngineError(`What answers is no Docker daemon: it does not say ${key}.`);
}

const keysOf = (found: unknown): string[] =>
  typeof found === "object" && found !== null ? Object.keys(found) : [];

function textsOf(found: unknown, key: string): Record<string, string> {
  const value = valueOf(found, key);
  return Object.fromEntries(keysOf(value).map((name) => [name, String(valueOf(value, name))]));
}

function compareVersions(one: string, other: string): number {
  const [first, second] = [one, other].map((version) => version.split(".").map(Number));
  return (first?.[0] ?? 0) - (second?.[0] ?? 0) || (first?.[1] ?? 0) - (second?.[1] ?? 0);
}
