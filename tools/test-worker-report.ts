// Between `npm test` and its test workers: the messages, and node:test's reporter that sends each test's result.
import { readFileSync } from "node:fs";
import type { TestEvent } from "node:test/reporters";

/** To a test worker. */
export type WorkerCommand = { type: "take"; file: string } | { type: "end" };

/** From a test worker; "ended" closes the results of one file. */
export type WorkerMessage =
  | { type: "begun"; name: string }
  | { type: "passed" | "skipped"; name: string }
  | { type: "failed"; text: string }
  | { type: "ended"; cpuSeconds: number; memoryMiB: number };

export const endOfFile = "the file has ended";

export function sendMessage(message: WorkerMessage): void {
  process.send?.(message);
}

/** `--test-reporter` takes the default export. */
export default async function* report(events: AsyncIterable<TestEvent>): AsyncGenerator<string> {
  for await (const event of events) {
    if (event.type === "test:diagnostic" && event.data.nesting === 0)
      yield `${event.data.message}\n`;
    if (event.type === "test:dequeue") sendMessage({ type: "begun", name: event.data.name });
    if (event.type === "test:pass" || event.type === "test:fail") note(event);
  }
}

type Ended = Extract<TestEvent, { type: "test:pass" | "test:fail" }>;

function note({ type, data }: Ended): void {
  const { name, details, nesting, skip } = data;
  const isEnd = name === endOfFile && nesting === 0;
  if (type === "test:fail") {
    const { error } = data.details;
    // A suite fails with its tests, which were reported, or by a hook of its own.
    if (!("failureType" in error) || error.failureType !== "subtestsFailed")
      sendMessage({ type: "failed", text: `${name}\n${stackOf(error)}` });
  } else if (skip !== undefined && skip !== false) sendMessage({ type: "skipped", name });
  else if (details.type !== "suite" && !isEnd) sendMessage({ type: "passed", name });
  if (!isEnd) return;
  const memoryMiB = process.memoryUsage.rss() / 1_048_576;
  sendMessage({ type: "ended", cpuSeconds: cpuSeconds(), memoryMiB });
}

function stackOf(error: Error): string {
  // The runner's own error says nothing of its own where it has a cause.
  const first = error.cause instanceof Error ? error.cause : error;
  return causesOf(first).flatMap(linesOf).slice(0, 80).join("\n");
}

function linesOf(error: Error): string[] {
  const lines = (error.stack ?? error.message).split("\n");
  return lines.filter((line) => !/^\s+at .*(node:internal|node:async_hooks)/.test(line));
}

/** The error itself, and what brought it about: "fetch failed" alone tells nothing. */
function causesOf(error: Error): Error[] {
  return error.cause instanceof Error ? [error, ...causesOf(error.cause)] : [error];
}

/** Of this process and, on Linux, of those that it has started and that have ended. */
export function cpuSeconds(): number {
  const { userCPUTime, systemCPUTime } = process.resourceUsage();
  return (userCPUTime + systemCPUTime) / 1e6 + childrenSeconds();
}

const ticksPerSecond = 100;

function childrenSeconds(): number {
  if (process.platform !== "linux") return 0;
  const stat = readFileSync("/proc/self/stat", "utf8");
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return (Number(fields[13]) + Number(fields[14])) / ticksPerSecond;
}
