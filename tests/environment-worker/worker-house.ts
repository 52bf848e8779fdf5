// What the tests of the worker share: workers in this process, what they tell, and sessions that want one.
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after } from "node:test";
import { systemClock } from "../../kernel/base/clock.ts";
import { systemRandom } from "../../kernel/base/random.ts";
import type { Report, Tell } from "../../server/environment_worker/report.ts";
import { runWorker, type WorkerOptions } from "../../server/environment_worker/worker.ts";
import type { House } from "../house.ts";
import { workOf, type Hosted } from "../rules/environments-work-house.ts";
import { ofType, said, type SessionEvent } from "../rules/sessions-house.ts";
import { until } from "../rules/support.ts";

export interface Started {
  told: Report[];
  /** Waits for what it tells; a report as it was. */
  tells<Type extends Report["type"]>(
    type: Type,
    is?: (report: Extract<Report, { type: Type }>) => boolean,
  ): Promise<Extract<Report, { type: Type }>>;
  /** As Ctrl-C does. */
  leave(): void;
  /** As a second one does. */
  end(): void;
  /** Rejects with what ended it. */
  ended: Promise<void>;
  stop(): Promise<void>;
}

export function temporaryDirectory(): string {
  const directory = mkdtempSync(join(tmpdir(), "plinth-worker-"));
  after(() => rmSync(directory, { recursive: true, force: true }));
  return directory;
}

export function workersOf(houseOf: () => House) {
  const work = workOf(houseOf);
  const { sessions } = work;

  const start = (
    { id, key }: Pick<Hosted, "id" | "key">,
    more: Partial<WorkerOptions> = {},
  ): Started => {
    const told: Report[] = [];
    const tell: Tell = (report) => void told.push(report);
    const [leaving, ending] = [new AbortController(), new AbortController()];
    let failure: unknown;
    const ended = runWorker({
      clock: systemClock,
      random: systemRandom,
      baseUrl: houseOf().url,
      environmentId: id,
      environmentKey: key,
      workerId: "worker of the lab",
      directory: more.directory ?? temporaryDirectory(),
      sections: {},
      sessionsMax: 4,
      graceMs: 60_000,
      keepMs: 86_400_000,
      network: { type: "unrestricted" },
      tell,
      leaving: leaving.signal,
      ending: ending.signal,
      ...more,
    });
    ended.catch((error: unknown) => (failure = error));
    // Where the test failed before it stopped it.
    after(async () => {
      ending.abort();
      leaving.abort();
      await ended.catch(() => {});
    });
    const tells: Started["tells"] = async (type, is = () => true) => {
      const found = until(async () => {
        const found = told.find(
          (report): report is Extract<Report, { type: typeof type }> =>
            report.type === type && is(report as never),
        );
        if (found === undefined && failure !== undefined) throw failure as Error;
        return found;
      }, type);
      return found.catch((error: Error) => {
        throw new Error(`${error.message}; it told ${JSON.stringify(told)}`, { cause: error });
      });
    };
    return {
      told,
      tells,
      leave: () => leaving.abort(),
      end: () => ending.abort(),
      ended,
      stop: async () => {
        leaving.abort();
        await ended;
      },
    };
  };

  /** The session is idle, its turn over: what came of it. */
  const turnEnd = (id: string): Promise<SessionEvent[]> =>
    until(async () => {
      const all = await sessions.idle(id);
      const last = all.at(-1)?.["stop_reason"] as { type: string } | undefined;
      return last?.type === "end_turn" && all;
    }, `${id} to end its turn`);

  return {
    ...work,
    start,
    turnEnd,
    /** The texts of the results of a session's calls, in order. */
    results: async (id: string): Promise<string[]> =>
      ofType(await sessions.events(id), "user.tool_result").map(textOf),
    /** Another turn that calls these tools. */
    call: (id: string, calls: string) => sessions.send(id, said(`[[tools ${calls}]]`)),
  };
}

export const textOf = ({ content, is_error }: SessionEvent): string => {
  const [block] = content as { type: string; text?: string }[];
  const words = block?.text ?? block?.type ?? "";
  return is_error === true ? `error: ${words}` : words;
};

export const bash = (command: string) => `bash ${JSON.stringify({ command })}`;

/** How many processes of this machine sleep for exactly as long as that. */
export const sleeping = (seconds: number): number => sleepers(seconds).length;

/** What sleeps for so long goes on now: a test says when, and not the machine. */
export async function wake(seconds: number): Promise<void> {
  await until(async () => sleeping(seconds) > 0, `a sleep of ${seconds} s`);
  for (const pid of sleepers(seconds)) process.kill(Number(pid), "SIGKILL");
}

function sleepers(seconds: number): string[] {
  const pids = readdirSync("/proc").filter((name) => /^\d+$/.test(name));
  return pids.filter((pid) => commandOf(pid) === `sleep\0${seconds}\0`);
}

/** Empty where the process has gone meanwhile. */
function commandOf(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "utf8");
  } catch (error) {
    const { code = "" } = error as NodeJS.ErrnoException;
    if (code === "ENOENT" || code === "ESRCH") return "";
    throw error;
  }
}
