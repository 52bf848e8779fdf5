// Calls in a shell that lives on: they end by themselves, by their time, by a signal, or with the shell.
import type { Clock } from "../../../kernel/base/clock.ts";
import { type ExecRequest, type ExecResult, SandboxError } from "../provider.ts";
import type { Connection } from "./connection.ts";
import { type Keeper, makeKeeper } from "./frames.ts";

type CallResult = Omit<ExecResult, "isRestarted">;

export interface Shell {
  exec(request: ExecRequest): Promise<CallResult>;
  /** Ends every process of the sandbox; resolves when none is left. */
  kill(): Promise<void>;
  readonly hasEnded: boolean;
  /** The descriptor of the directory of the folders, open until the shell has ended. */
  readonly folders: number | undefined;
}

export type Ending = { code: number | null };

export interface Connections {
  first: Connection;
  second: Connection | undefined;
}

interface RunningShell extends Pick<Shell, "kill"> {
  clock: Clock;
  connected: Connections;
  ended: Promise<Ending>;
}

export const makeCalls =
  (running: RunningShell): Shell["exec"] =>
  (request) =>
    request.isBeside === true ? execBeside(running, request) : execIn(running, request);

/** What does not end in its time, or is told to end, ends with everything else in the sandbox. */
async function execIn(
  { clock, connected, ended, kill }: RunningShell,
  request: ExecRequest,
): Promise<CallResult> {
  const keeper = makeKeeper(request.bytesMax);
  // Nothing of it has begun.
  if (request.signal?.aborted === true)
    return { code: null, ...keeper.result(), isTimedOut: false, isAborted: true };
  const isDone = connected.first.run(request, keeper).then((code) => ({ code }));
  const limit = new AbortController();
  const stopped = Promise.withResolvers<"aborted">();
  const onAbort = () => stopped.resolve("aborted");
  request.signal?.addEventListener("abort", onAbort, { once: true });
  const first = await Promise.race([
    isDone,
    ended,
    stopped.promise,
    clock.sleep(request.timeoutMs, limit.signal).then(() => "timed out" as const),
  ]);
  limit.abort();
  request.signal?.removeEventListener("abort", onAbort);
  if (typeof first === "string") await kill();
  return {
    code: typeof first === "string" ? null : first.code,
    ...keeper.result(),
    isTimedOut: first === "timed out",
    isAborted: first === "aborted",
  };
}

/** The agent's programs can end it, and nothing tells of that: it answers at once, or is gone. */
const answerMs = 2_000;

/** What does not end in its time is left to itself: the second shell is of no use any more. */
async function execBeside(
  { clock, connected, ended }: RunningShell,
  request: ExecRequest,
): Promise<CallResult> {
  const { second } = connected;
  const within = async (command: ExecRequest, keeper: Keeper): Promise<Ending | undefined> => {
    if (second === undefined) return undefined;
    const limit = new AbortController();
    const isDone = second.run(command, keeper).then((code) => ({ code }));
    const isLate = clock.sleep(command.timeoutMs, limit.signal).then(() => undefined);
    const first = await Promise.race([isDone, ended, isLate]);
    limit.abort();
    if (first === undefined) connected.second = undefined;
    return first;
  };
  const answer = { command: "builtin :", timeoutMs: answerMs, bytesMax: 0 };
  if ((await within(answer, makeKeeper(0))) === undefined)
    throw new SandboxError("The sandbox has no second shell.");
  const keeper = makeKeeper(request.bytesMax);
  const first = await within(request, keeper);
  return {
    code: first?.code ?? null,
    ...keeper.result(),
    isTimedOut: first === undefined,
    isAborted: false,
  };
}
