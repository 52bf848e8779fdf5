// Members of a bus in this process and in others, in a directory of their own.
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { systemClock, type Clock } from "../../kernel/base/clock.ts";
import { silentLogger, type Logger } from "../../kernel/base/logger.ts";
import { systemRandom } from "../../kernel/base/random.ts";
import { makeBus, type Bus, type BusHub, type LossReason } from "../../kernel/bus/bus.ts";
import { joinMachine } from "../../kernel/bus/machine.ts";
import type { Order } from "./bus-process.ts";
import { until } from "./jobs-harness.ts";

export interface Member {
  hub: BusHub;
  lost: Map<LossReason, number>;
  leave(): Promise<void>;
}

export interface OtherProcess {
  pid: number;
  heard: { channel: string; data: string }[];
  order(order: Order): void;
  ended: Promise<void>;
}

export interface BusHarness extends AsyncDisposable {
  directory: string;
  /** With a clock that stands still a member looks for others once, as it comes. */
  join(clock?: Clock): Promise<Member>;
  start(): Promise<OtherProcess>;
}

export function makeMember(logger: Logger = silentLogger): Pick<Member, "hub" | "lost"> {
  const lost = new Map<LossReason, number>();
  const count = (reason: LossReason, by: number) => lost.set(reason, (lost.get(reason) ?? 0) + by);
  return { hub: makeBus({ logger, lost: count }), lost };
}

/** In a directory of its own, unless it is a server's. */
export function openBusHarness(of?: string): BusHarness {
  const directory = of ?? mkdtempSync(join(tmpdir(), "plinth-bus-test-"));
  const closing = new AsyncDisposableStack();
  if (of === undefined) closing.defer(() => rmSync(directory, { recursive: true, force: true }));
  return {
    directory,
    join: async (clock = systemClock) => {
      const member = makeMember();
      const world = { clock, random: systemRandom, logger: silentLogger };
      const leave = await joinMachine(world, member.hub, directory);
      closing.defer(leave);
      return { ...member, leave };
    },
    start: async () => {
      const script = join(import.meta.dirname, "bus-process.ts");
      const child = spawn(process.execPath, [script, directory], {
        stdio: ["pipe", "pipe", "inherit"],
      });
      child.stdin.on("error", () => {});
      const ended = new Promise<void>((resolve) => child.once("exit", () => resolve()));
      closing.defer(() => {
        child.kill("SIGKILL");
        return ended;
      });
      const heard: { channel: string; data: string }[] = [];
      let isReady = false;
      createInterface({ input: child.stdout }).on("line", (line) => {
        const fact = JSON.parse(line) as { ready?: true; channel: string; data: string };
        if (fact.ready) isReady = true;
        else heard.push(fact);
      });
      await until("the other process is ready", () => isReady);
      const order = (given: Order) => void child.stdin.write(`${JSON.stringify(given)}\n`);
      return { pid: child.pid ?? 0, heard, order, ended };
    },
    [Symbol.asyncDispose]: () => closing.disposeAsync(),
  };
}

/** Says a word on the channel until it is heard: from then on the publisher knows who listens. */
export const isHeard = (what: string, from: Bus, channel: string, heard: () => boolean) =>
  until(what, () => {
    from.publish(channel, "?");
    return heard();
  });

/** What is heard on a channel, without the words of `isHeard`. */
export function listenTo(hub: Bus, channel: string) {
  const heard: string[] = [];
  let isReached = false;
  const leave = hub.subscribe(channel, (data) => {
    isReached = true;
    if (data !== "?") heard.push(data);
  });
  return { heard, leave, isReached: () => isReached };
}
