// The provider `linux`: sandboxes of the kernel's own means, without a daemon or a package.
import type { Socket } from "node:net";
import type { Clock } from "../../../kernel/base/clock.ts";
import type { Random } from "../../../kernel/base/random.ts";
import { defaultLimits, doorHost, doorPort } from "../limits.ts";
import { inWords, SandboxError, type SandboxProvider } from "../provider.ts";
import { makeSessions } from "../sessions.ts";
import { type WorkspaceKind, workspaceKinds } from "../workspaces/workspaces.ts";
import {
  canListen,
  type How,
  type Launcher,
  launchers,
  type LinuxMachine,
  openMachine,
} from "./machine.ts";
import { describeMeans, type Means } from "./probe.ts";

export interface LinuxOptions {
  clock: Clock;
  random: Random;
  /** Of sandboxes alone; it is made. Sessions and their workspaces lie in it. */
  directory: string;
  /** `/`, or a directory with another system's `usr` and `etc`, which everyone may read. */
  rootfs?: string;
  /** The first one that works is taken. */
  launchers?: readonly Launcher[];
  workspaceKinds?: readonly WorkspaceKind[];
}

/** Makes a sandbox to see what works here, and throws it away. */
export async function openLinux(options: LinuxOptions): Promise<SandboxProvider> {
  const machine = await openMachine({ rootfs: "/", ...options });
  const { means, chosen } = await choose(machine, options);
  const probe = describeMeans(means);
  const expectChosen = (): How => {
    if (chosen === undefined) throw new SandboxError(inWords(probe));
    return chosen;
  };
  return makeSessions({
    name: "linux",
    random: options.random,
    stores: machine,
    probe: async () => probe,
    kindFor: async () => expectChosen().kind,
    letGo: machine.letGo,
    start: (spec, stored) => machine.start(spec, stored, expectChosen()),
    close: machine.close,
  });
}

async function choose(
  machine: LinuxMachine,
  options: LinuxOptions,
): Promise<{ means: Means; chosen: How | undefined }> {
  const faults = new Map<WorkspaceKind, string>();
  let firstFault: string | undefined;
  const means = { isRoot: machine.isRoot, cgroups: machine.cgroups };
  for (const launcher of options.launchers ?? launchers)
    for (const kind of options.workspaceKinds ?? workspaceKinds) {
      const how = { launcher, kind };
      const fault = await tryOut(machine, how);
      if (fault === undefined) {
        const imageFault =
          kind === "image" ? undefined : (faults.get("image") ?? "no image was asked for");
        const isPlainBind = kind === "plain";
        return {
          means: { ...means, launcher, imageFault, isPlainBind, fault, canListen: canListen(how) },
          chosen: how,
        };
      }
      faults.set(kind, fault);
      firstFault ??= fault;
    }
  const [launcher, fault] = ["direct" as const, firstFault ?? "There is nothing to try."];
  const nothing = { launcher, fault, imageFault: fault, isPlainBind: true, canListen: false };
  return { means: { ...means, ...nothing }, chosen: undefined };
}

/** Undefined where it works, else why not. */
async function tryOut(machine: LinuxMachine, chosen: How): Promise<string | undefined> {
  const sessionId = `${machine.name}-trial`;
  const limits = { ...defaultLimits, workspaceBytes: 16 * 1024 ** 2 };
  const network = { connect: (socket: Socket) => void socket.end("reached\n"), endAll: () => {} };
  const spec = { sessionId, limits, env: {}, network };
  const reach = canListen(chosen) ? `grep -q reached </dev/tcp/${doorHost}/${doorPort}` : ":";
  try {
    if (chosen.kind === "image" && machine.images === undefined)
      return machine.isRoot ? "mkfs.ext4 is not installed" : "only root can mount one";
    const stored = await machine.workspaces.make(
      sessionId,
      spec.limits.workspaceBytes,
      chosen.kind,
    );
    const shell = await machine.start(spec, stored, chosen);
    const run = (command: string) => shell.exec({ command, timeoutMs: 10_000, bytesMax: 0 });
    const { code } = await run(">file && rm file");
    const reached = code === 0 ? await run(reach) : undefined;
    await shell.kill();
    if (code !== 0) return "the workspace could not be written to";
    return reached?.code === 0 ? undefined : "the server could not listen inside";
  } catch (error) {
    if (error instanceof SandboxError) return error.message;
    if (typeof (error as NodeJS.ErrnoException).code !== "undefined")
      return (error as Error).message;
    throw error;
  } finally {
    await machine.workspaces.remove(sessionId);
  }
}
