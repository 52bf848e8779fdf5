// The system calls that turn a fresh process into a sandbox.
import { environmentOf } from "../../environment.ts";
import { sandboxLimits } from "../../limits.ts";
import { systemPath } from "../../programs.ts";
import { shellWords } from "../../shell/connection.ts";
import { makeFilter } from "../system_calls/filter.ts";
import { makeListener } from "./listener.ts";
import { makePipes } from "./pipes.ts";
import { insideId, type Plan } from "./plan-types.ts";
import { makeProgram, type Program } from "./program.ts";
import { buildRoot } from "./root.ts";
import { stageWorkspace } from "./stage.ts";
import { firstFree, mounts, newMounts, newNetwork, writeFile } from "./steps.ts";

/** user, pid, ipc, uts, net, mount, cgroup. */
const allNamespaces =
  0x1000_0000 | 0x2000_0000 | 0x800_0000 | 0x400_0000 | newNetwork | newMounts | 0x200_0000;
const [setDeathSignal, setDumpable, dropBounding, setNoNewPrivileges] = [1, 4, 24, 38];
const sigkill = 9;

export function planSandbox(plan: Plan): Program {
  const program = makeProgram();
  const { owner, server } = plan;
  program.call("umask", 0o022);
  if (owner !== undefined) {
    // What lies in the server's directories is mounted while it may still be reached.
    program.call("unshare", newMounts);
    stageWorkspace(program, plan);
    makePipes(program, plan);
    takeOwner(program, owner);
  }
  // Changing the uid has taken it back.
  program.call("prctl", setDeathSignal, sigkill, 0, 0, 0);
  program.call("unshare", allNamespaces);
  writeFile(program, "/proc/self/setgroups", "deny");
  writeFile(program, "/proc/self/uid_map", `${insideId} ${owner ?? server.uid} 1`);
  writeFile(program, "/proc/self/gid_map", `${insideId} ${owner ?? server.gid} 1`);
  if (owner === undefined) {
    stageWorkspace(program, plan);
    makePipes(program, plan);
  }
  raiseLoopback(program);
  if (plan.hasDoor) makeListener(program);
  program.fork();
  program.call("prctl", setDeathSignal, sigkill, 0, 0, 0);
  program.call("mount", 0, "/", 0, mounts.recursive | mounts.isPrivate, 0);
  buildRoot(program, plan);
  program.call("chdir", "root");
  program.call("pivot_root", ".", ".");
  program.call("umount2", ".", 2);
  program.call("chdir", "/workspace");
  program.call("sethostname", "sandbox", 7);
  limitProcess(program, plan, { isCountingProcesses: true });
  giveUpRights(program);
  program.call("prctl", setDeathSignal, sigkill, 0, 0, 0);
  program.call("seccomp", 1, 0, { filter: makeFilter(plan.machine) });
  program.call("execve", "/bin/bash", { strings: shellWords }, { strings: environment(plan) });
  return program;
}

export function takeOwner(program: Program, owner: number): void {
  program.call("setgroups", 0, 0);
  program.call("setresgid", owner, owner, owner);
  program.call("setresuid", owner, owner, owner);
  // Else /proc/self would belong to root after the change, and no ids could be mapped.
  program.call("prctl", setDumpable, 1, 0, 0, 0);
}

export const environment = ({ env, hasDoor }: Pick<Plan, "env" | "hasDoor">): string[] =>
  environmentOf({ PATH: systemPath, ...env }, hasDoor);

export function raiseLoopback(program: Program): void {
  const [ipv4, datagrams, setFlags, isUpAndRunning] = [2, 2, 0x8914, 0x41];
  const request = Buffer.alloc(40); // struct ifreq
  request.write("lo");
  request.writeUInt16LE(isUpAndRunning, 16);
  program.call("socket", ipv4, datagrams, 0);
  program.call("ioctl", firstFree, setFlags, request);
  program.call("close", firstFree);
}

export function limitProcess(
  program: Program,
  { limits, isWithoutMemoryCgroup }: Plan,
  { isCountingProcesses }: { isCountingProcesses: boolean },
): void {
  const [fileSize, data, core, processes, openFiles] = [1, 2, 4, 6, 7];
  const limit = (resource: number, most: number) => {
    const pair = Buffer.alloc(16);
    pair.writeBigUInt64LE(BigInt(most));
    pair.writeBigUInt64LE(BigInt(most), 8);
    program.call("prlimit64", 0, resource, pair, 0);
  };
  limit(core, 0);
  limit(fileSize, limits.workspaceBytes);
  limit(openFiles, sandboxLimits.openFilesMax);
  // Counted in the sandbox's own user namespace alone, since Linux 5.14.
  if (isCountingProcesses) limit(processes, limits.processesMax);
  if (isWithoutMemoryCgroup) limit(data, limits.memoryBytes);
}

function giveUpRights(program: Program): void {
  const newestCapability = 40;
  for (let capability = 0; capability <= newestCapability; capability++)
    program.call("prctl", dropBounding, capability, 0, 0, 0);
  const version = Buffer.alloc(8);
  version.writeUInt32LE(0x2008_0522);
  program.call("capset", version, Buffer.alloc(24));
  program.call("prctl", setNoNewPrivileges, 1, 0, 0, 0);
}
