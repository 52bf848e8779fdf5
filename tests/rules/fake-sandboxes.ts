// A machine whose sandboxes start no process: it keeps what was run where, and what must never happen.
import type { Clock } from "../../kernel/base/clock.ts";
import { systemClock } from "../../kernel/base/clock.ts";
import {
  guaranteeNames,
  SandboxError,
  type SandboxProvider,
} from "../../server/sandboxes/module.ts";
import { sandboxesPart } from "../../server/sessions/sandbox/sandboxes.ts";
import type { House } from "../house.ts";

type ExecRequest = Parameters<SandboxProvider["exec"]>[1];
type ExecResult = Awaited<ReturnType<SandboxProvider["exec"]>>;

export interface FakeCall {
  sessionId: string;
  command: string;
  /** The name of the provider. */
  by: string;
}

export interface FakeMachine {
  /** In the order in which they began. */
  calls: readonly FakeCall[];
  /** What must never happen: two processes in one sandbox, or two calls at a time. */
  faults: string[];
  /** Lines that commands wrote, by the session. They survive all providers. */
  workspaces: ReadonlyMap<string, readonly string[]>;
  /** Sessions whose sandbox runs, and whose it is. */
  running(): ReadonlyMap<string, string>;
  /** Why no sandbox can be made; undefined where one can. */
  refusal: string | undefined;
  /** While it is there, making a sandbox waits for it. */
  making: Promise<void> | undefined;
  /** Layers, by the names of packages that were installed into them. */
  layers: Map<string, readonly string[]>;
  /** Layers that sandboxes were asked for with, by the session. */
  shown: Map<string, string | undefined>;
  /** What becomes of packages in a sandbox that becomes a layer; they are there at once where it says nothing. */
  install:
    | ((
        sessionId: string,
        packages: readonly string[],
        write: (line: string) => void,
      ) => Promise<number>)
    | undefined;
  /** What `give NAME` writes. */
  outputs: Map<string, Buffer>;
  /** Ends `wait NAME`, now or when it comes. */
  release(name: string): void;
  open(name: string, process?: FakeProcess): SandboxProvider;
}

/** Whose provider it is. */
export interface FakeProcess {
  clock: Pick<Clock, "sleep">;
  /** It was killed, and its sandboxes with it; or it stands still, and may be taken for dead. */
  isAlive: () => boolean;
  isAsleep: () => boolean;
}

interface Box {
  process: FakeProcess;
  by: string;
  /** Ends what runs in it. */
  ended: PromiseWithResolvers<"ended">;
  isBusy: boolean;
}

/** Whatever the machine of the test can do. */
export function withoutSandboxes({ world }: Pick<House, "world">): void {
  const machine = makeFakeMachine();
  machine.refusal = "Sandboxes cannot be made in this test.";
  sandboxesPart.of(world).use(machine.open("none"));
}

const usual: FakeProcess = { clock: systemClock, isAlive: () => true, isAsleep: () => false };

export function makeFakeMachine(): FakeMachine {
  const calls: FakeCall[] = [];
  const workspaces = new Map<string, string[]>();
  const tokens = new Map<string, Buffer>();
  const boxes = new Map<string, Box>();
  /** Calls that were aborted took the shell with them: the next one of that process is told. */
  const lostShells = new Set<string>();
  const waits = new Map<string, PromiseWithResolvers<void>>();
  const waitOf = (name: string) => {
    const known = waits.get(name) ?? Promise.withResolvers<void>();
    waits.set(name, known);
    return known;
  };
  const end = (sessionId: string, box: Box): void => {
    box.ended.resolve("ended");
    if (boxes.get(sessionId) === box) boxes.delete(sessionId);
  };

  const enter = (sessionId: string, by: string, process: FakeProcess): Box => {
    const other = boxes.get(sessionId);
    if (other !== undefined && other.by !== by) {
      if (other.process.isAlive() && !other.process.isAsleep())
        machine.faults.push(`${by} runs in the sandbox of ${sessionId}, which ${other.by} has`);
      // Of a process that was killed or stands still: whoever starts one ends what is left of it.
      end(sessionId, other);
    }
    const known = boxes.get(sessionId);
    if (known?.isBusy === true) machine.faults.push(`two calls at a time in ${sessionId}`);
    const box = known ?? { process, by, ended: Promise.withResolvers(), isBusy: false };
    boxes.set(sessionId, box);
    return box;
  };

  const act = async (sessionId: string, command: string, { clock }: FakeProcess) => {
    const [verb = "", ...rest] = command.split(" ");
    const words = rest.join(" ");
    const lines = workspaces.get(sessionId) ?? [];
    if (verb === "break") throw new SandboxError(words);
    if (verb === "bug") throw new Error(words);
    if (verb === "wait") await waitOf(words).promise;
    if (verb === "sleep") await clock.sleep(Number(rest[0]));
    if (verb === "append") lines.push(words);
    if (verb === "give") return machine.outputs.get(words) ?? Buffer.from("");
    return Buffer.from(verb === "list" ? lines.join("\n") : words);
  };

  const exec = async (
    { by, process }: { by: string; process: FakeProcess },
    sessionId: string,
    { command, signal }: ExecRequest,
  ): Promise<ExecResult> => {
    if (!workspaces.has(sessionId)) throw new SandboxError(`There is no sandbox for ${sessionId}.`);
    const box = enter(sessionId, by, process);
    const line = typeof command === "string" ? command : command.join(" ");
    calls.push({ sessionId, command: line, by });
    box.isBusy = true;
    const isRestarted = lostShells.delete(`${by} ${sessionId}`);
    const aborted = Promise.withResolvers<"aborted">();
    const abort = () => aborted.resolve("aborted");
    signal?.addEventListener("abort", abort, { once: true });
    if (signal?.aborted === true) abort();
    try {
      const acted = act(sessionId, line, process);
      const first = await Promise.race([acted, box.ended.promise, aborted.promise]);
      if (typeof first === "string") end(sessionId, box);
      if (first === "aborted") lostShells.add(`${by} ${sessionId}`);
      const isEnded = typeof first === "string";
      return {
        code: isEnded ? null : 0,
        output: isEnded ? Buffer.alloc(0) : first,
        errors: Buffer.alloc(0),
        isTruncated: false,
        isTimedOut: false,
        isAborted: first === "aborted",
        isRestarted,
      };
    } finally {
      box.isBusy = false;
      signal?.removeEventListener("abort", abort);
    }
  };

  const installed = new Map<string, string[]>();
  let made = 0;

  /** The packages are the words behind the script and its name. */
  const install = async (sessionId: string, request: ExecRequest): Promise<ExecResult> => {
    const packages = request.command.slice(4) as string[];
    const write = (line: string) => request.onOutput?.(Buffer.from(`${line}\n`));
    const late = new Promise<number>((resolve) => {
      request.signal?.addEventListener("abort", () => resolve(-1), { once: true });
    });
    const code = await Promise.race([
      machine.install?.(sessionId, packages, write) ?? Promise.resolve(0),
      late,
    ]);
    installed.set(sessionId, [...(installed.get(sessionId) ?? []), ...packages]);
    return { ...lookedInto(undefined), code: code < 0 ? null : code, isAborted: code < 0 };
  };

  const machine: FakeMachine = {
    calls,
    faults: [],
    workspaces,
    running: () => new Map([...boxes].map(([sessionId, { by }]) => [sessionId, by])),
    refusal: undefined,
    making: undefined,
    outputs: new Map(),
    layers: new Map(),
    shown: new Map(),
    install: undefined,
    release: (name) => waitOf(name).resolve(),
    open: (by, process = usual) => {
      const stop = async (sessionId: string) => {
        const box = boxes.get(sessionId);
        if (box?.by === by) end(sessionId, box);
      };
      return {
        name: "fake",
        probe: async () => probeOf(machine.refusal),
        layers: {
          newSandboxId: () => `${by}-${(made += 1)}-layer`,
          keep: async (sessionId, name) => {
            if (!machine.layers.has(name)) machine.layers.set(name, installed.get(sessionId) ?? []);
            await stop(sessionId);
            workspaces.delete(sessionId);
          },
          sizeOf: async (name) => (machine.layers.has(name) ? 1024 * 1024 : undefined),
          remove: async (name) => void machine.layers.delete(name),
          list: async () => [...machine.layers.keys()],
        },
        ensure: async ({ sessionId, layer }) => {
          await machine.making;
          machine.shown.set(sessionId, layer?.name);
          if (machine.refusal !== undefined) throw new SandboxError(machine.refusal);
          if (!workspaces.has(sessionId)) workspaces.set(sessionId, []);
        },
        // What the server looks for itself: there is nothing beside `/workspace` but what it has left.
        fill: async (sessionId, _folder, { files = [] }) => {
          for (const { path, content } of files)
            if (path === ".sandbox") tokens.set(sessionId, Buffer.from(content as Uint8Array));
        },
        exec: async (sessionId, request) =>
          request.isInternal === true
            ? lookedInto(tokens.get(sessionId))
            : sessionId.endsWith("-layer")
              ? install(sessionId, request)
              : exec({ by, process }, sessionId, request),
        stop,
        destroy: async (sessionId) => {
          await stop(sessionId);
          workspaces.delete(sessionId);
        },
        list: async () => [...workspaces.keys()],
        close: async () => {
          for (const [sessionId, box] of boxes) if (box.by === by) end(sessionId, box);
        },
      };
    },
  };
  return machine;
}

/** The answer to a look at the folders of a session: empty ones. */
const lookedInto = (token: Buffer | undefined): ExecResult => ({
  code: 0,
  output: Buffer.from(`1\0${token === undefined ? "" : `t${token.toString()}`}\0`),
  errors: Buffer.alloc(0),
  isTruncated: false,
  isTimedOut: false,
  isAborted: false,
  isRestarted: false,
});

const probeOf = (refusal: string | undefined): Awaited<ReturnType<SandboxProvider["probe"]>> => {
  const level = refusal === undefined ? ("enforced" as const) : ("none" as const);
  const guarantee = { level, reason: "It is only played." };
  const names = guaranteeNames.map((name) => [name, guarantee] as const);
  return {
    ok: refusal === undefined,
    reason: refusal ?? "They are only played.",
    guarantees: Object.fromEntries(names) as Awaited<
      ReturnType<SandboxProvider["probe"]>
    >["guarantees"],
  };
};
