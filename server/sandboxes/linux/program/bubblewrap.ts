// The same sandbox made by bubblewrap, for machines where its profile may make user namespaces and ours may not. The
// runner still goes before it: it takes the session's uid, mounts the workspace and hands over the filter.
import { existsSync } from "node:fs";
import { sandboxLimits } from "../../limits.ts";
import { shellWords } from "../../shell/connection.ts";
import { makeFilter } from "../system_calls/filter.ts";
import { makeListener } from "./listener.ts";
import { makePipes } from "./pipes.ts";
import { environment, limitProcess, raiseLoopback, takeOwner } from "./plan.ts";
import { programsPlace } from "../../programs.ts";
import { storedName } from "../../folders.ts";
import { insideId, type Plan } from "./plan-types.ts";
import { makeProgram, type Program } from "./program.ts";
import { hiddenInProc, sharedConfiguration, syntheticFiles, systemDirectories } from "./root.ts";
import { makeFolders, stageWorkspace } from "./stage.ts";
import { firstFree, mounts, newMounts, newNetwork, writeFile } from "./steps.ts";

/** A directory that every machine has, hidden in a mount namespace of our own: bubblewrap wants absolute paths. */
const meetingPlace = "/mnt";

export function planBubblewrap(plan: Plan, bubblewrap: string): Program {
  const program = makeProgram();
  const newUsers = 0x1000_0000;
  program.call("umask", 0o022);
  if (plan.owner !== undefined) {
    program.call("unshare", newMounts | newNetwork);
    stageWorkspace(program, plan);
    meet(program);
    makePipes(program, plan);
    raiseNetwork(program, plan);
    takeOwner(program, plan.owner);
  } else if (!("directory" in plan.workspace && plan.workspace.isPlain)) {
    // Overlays may be mounted in a user namespace alone, and its owner is who we are.
    program.call("unshare", newUsers | newMounts | newNetwork);
    for (const [file, text] of idMaps(plan)) writeFile(program, `/proc/self/${file}`, text);
    stageWorkspace(program, plan);
    meet(program);
    makePipes(program, plan);
    raiseNetwork(program, plan);
  } else {
    makeFolders(program, plan, `${plan.workspace.directory}/folders`);
    makePipes(program, plan);
  }
  program.call("prctl", 1, 9, 0, 0, 0);
  const filter = handOver(program, firstFree, makeFilter(plan.machine));
  const files = Object.entries(syntheticFiles).map(([path, text], index) => ({
    path,
    descriptor: handOver(program, firstFree + 1 + index, Buffer.from(text)),
  }));
  limitProcess(program, plan, { isCountingProcesses: plan.owner !== undefined });
  const { workspace, owner } = plan;
  const own = owner === undefined && "directory" in workspace && workspace.isPlain;
  const places = own
    ? { files: `${workspace.directory}/files`, folders: `${workspace.directory}/folders` }
    : { files: `${meetingPlace}/workspace`, folders: `${meetingPlace}/folders` };
  const words = [
    ...split("bwrap --unshare-user --unshare-pid --unshare-ipc --unshare-uts"),
    // Where it is not made already: bubblewrap lets nobody in that would listen there.
    ...(own ? ["--unshare-net"] : []),
    ...split("--unshare-cgroup-try --hostname sandbox --die-with-parent --cap-drop ALL"),
    ...split(`--disable-userns --uid ${insideId} --gid ${insideId} --seccomp ${filter}`),
    ...system(plan.rootfs),
    ...files.flatMap(({ path, descriptor }) => ["--file", `${descriptor}`, `/${path}`]),
    ...split("--proc /proc --dev /dev --symlink ../tmp /var/tmp"),
    ...hiddenInProc.filter((path) => existsSync(path)).flatMap(hide),
    ...sized("/tmp", plan.limits.tmpBytes, "1777"),
    ...sized("/home/agent", plan.limits.tmpBytes, "0755"),
    ...sized("/run", sandboxLimits.runBytes, "0755"),
    ...sized("/dev/shm", sandboxLimits.shmBytes, "1777"),
    ...bindTo("--bind", places.files, "/workspace"),
    ...showFolders(plan, places.folders),
    ...linkFromRoot(plan),
    ...bringPrograms(plan, own ? `${plan.programs}/files` : `${meetingPlace}/programs`),
    ...split("--remount-ro /dev --remount-ro / --chdir /workspace -- /bin/bash"),
    ...shellWords.slice(1),
  ];
  const env = { strings: environment(plan) };
  program.call("execve", bubblewrap, { strings: words }, env);
  return program;
}

const meet = (program: Program): void =>
  program.call("mount", ".", meetingPlace, 0, mounts.bind | mounts.recursive, 0);

function raiseNetwork(program: Program, { hasDoor }: Plan): void {
  raiseLoopback(program);
  if (hasDoor) makeListener(program);
}

const split = (words: string) => words.split(" ");
/** Paths may have blanks in them. */
const bindTo = (how: "--bind" | "--ro-bind", from: string, to: string) => [how, from, to];
const hide = (path: string) => bindTo("--ro-bind", "/dev/null", path);

const bringPrograms = ({ programs }: Plan, place: string): string[] =>
  programs === undefined ? [] : bindTo("--ro-bind", place, programsPlace);

const showFolders = ({ folders, limits, layer, owner }: Plan, place: string): string[] =>
  folders.flatMap(({ path, kind }) => {
    if (kind === "in_memory") return sized(path, limits.tmpBytes, "0755");
    if (kind === "layer" && layer !== undefined) {
      const isBare = owner === undefined && "directory" in layer && layer.isPlain;
      const bare = isBare ? `${layer.directory}/folders/${storedName(path)}` : undefined;
      return bindTo("--ro-bind", bare ?? `${meetingPlace}/layer`, path);
    }
    return bindTo(
      kind === "read_only" ? "--ro-bind" : "--bind",
      `${place}/${storedName(path)}`,
      path,
    );
  });

const linkFromRoot = ({ links }: Plan): string[] =>
  Object.entries(links).flatMap(([name, to]) => ["--symlink", to, `/${name}`]);

const idMaps = ({ server }: Plan): [string, string][] => [
  ["setgroups", "deny"],
  ["uid_map", `${server.uid} ${server.uid} 1`],
  ["gid_map", `${server.gid} ${server.gid} 1`],
];

const sized = (path: string, bytes: number, mode: string) =>
  split(`--perms ${mode} --size ${bytes} --tmpfs ${path}`);

function system(rootfs: string): string[] {
  const base = rootfs === "/" ? "" : rootfs;
  const show = (path: string) => bindTo("--ro-bind", `${base}/${path}`, `/${path}`);
  return [
    ...show("usr"),
    ...split("--dir /mnt"),
    ...systemDirectories(rootfs).flatMap(({ path, link }) =>
      link === undefined ? show(path) : ["--symlink", link, `/${path}`],
    ),
    ...sharedConfiguration
      .filter((name) => existsSync(`${base}/etc/${name}`))
      .flatMap((name) => show(`etc/${name}`)),
  ];
}

/** A pipe that holds these bytes; the descriptor is the next free one. */
function handOver(program: Program, descriptor: number, bytes: Buffer): number {
  program.call("pipe2", Buffer.alloc(8), 0);
  program.call("write", descriptor + 1, bytes, bytes.length);
  program.call("close", descriptor + 1);
  return descriptor;
}
