// Control groups: what all processes of a sandbox may use together. Version 1 has a tree for each controller, version 2
// one for all.
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmdirSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import type { Clock } from "../../../../kernel/base/clock.ts";
import type { SandboxLimits } from "../../provider.ts";
import { isRunning, killProcess } from "../../workspaces/processes.ts";

export const controllers = ["memory", "pids", "cpu"] as const;
export type Controller = (typeof controllers)[number];

export interface Cgroup {
  add(pid: number): void;
  /** Once no process is in it any more. */
  remove(): Promise<void>;
}

export interface Cgroups {
  /** Which limits hold. */
  usable: ReadonlySet<Controller>;
  make(name: string, limits: SandboxLimits): Cgroup;
}

const parentName = "plinth-sandboxes";
const periodUs = 100_000;

interface Tree {
  version: 1 | 2;
  /** Where this server's groups are made. */
  parent: string;
  controllers: readonly Controller[];
}

export async function openCgroups(clock: Clock): Promise<Cgroups> {
  const trees = findTrees().flatMap((tree) => prepare(tree) ?? []);
  for (const { parent } of trees) await removeLeftovers(parent, clock);
  const usable = new Set(trees.flatMap((tree) => tree.controllers));
  return {
    usable,
    make(name, limits) {
      // The pid says whose it is when a later server looks for what is left.
      const places = trees.map((tree) => ({
        tree,
        path: join(tree.parent, `${process.pid}-${name}`),
      }));
      for (const { tree, path } of places) {
        mkdirSync(path, { recursive: true });
        limit(tree, path, limits);
      }
      return {
        add: (pid) =>
          places.forEach(({ path }) => writeFileSync(join(path, "cgroup.procs"), `${pid}`)),
        remove: async () => {
          for (const { path } of places) await removeGroup(path, clock);
        },
      };
    },
  };
}

function limit({ version, controllers }: Tree, path: string, limits: SandboxLimits): void {
  const write = (file: string, value: number | string) =>
    writeFileSync(join(path, file), `${value}`);
  const writeWhereThere = (file: string, value: number | string) => {
    if (existsSync(join(path, file))) write(file, value);
  };
  const { memoryBytes, cpus } = limits;
  // The process that waits for the sandbox outside of it is counted, too.
  if (controllers.includes("pids")) write("pids.max", limits.processesMax + 1);
  if (controllers.includes("memory") && version === 1) {
    write("memory.limit_in_bytes", memoryBytes);
    writeWhereThere("memory.memsw.limit_in_bytes", memoryBytes);
  }
  if (controllers.includes("memory") && version === 2) {
    write("memory.max", memoryBytes);
    writeWhereThere("memory.swap.max", 0);
  }
  if (!controllers.includes("cpu")) return;
  const quotaUs = Math.round(cpus * periodUs);
  if (version === 2) return write("cpu.max", `${quotaUs} ${periodUs}`);
  write("cpu.cfs_period_us", periodUs);
  write("cpu.cfs_quota_us", quotaUs);
}

async function removeGroup(path: string, clock: Clock): Promise<void> {
  const triesMax = 100;
  for (let tried = 1; ; tried++)
    try {
      return rmdirSync(path);
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code === "ENOENT") return;
      // The kernel counts a process for a moment after it was waited for.
      if (code !== "EBUSY" || tried === triesMax) throw error;
      await clock.sleep(10);
    }
}

/** Of servers that were killed: their sandboxes died with them, or do now. */
async function removeLeftovers(parent: string, clock: Clock): Promise<void> {
  for (const name of readdirSync(parent)) {
    const server = /^(\d+)-/.exec(name)?.[1];
    if (server === undefined || isRunning(Number(server))) continue;
    const path = join(parent, name);
    for (const pid of readIfThere(join(path, "cgroup.procs")).split("\n").filter(Boolean))
      killProcess(Number(pid));
    await removeGroup(path, clock);
  }
}

/** Another server may be removing it, too. */
const readIfThere = (path: string) => (existsSync(path) ? readFileSync(path, "utf8") : "");

/** The kernel's refusals: what it does not allow us is not ours to use. */
const isAnswer = (error: unknown) => typeof (error as NodeJS.ErrnoException).code === "string";

function prepare(tree: Tree): Tree | undefined {
  try {
    mkdirSync(tree.parent, { recursive: true });
    if (tree.version === 2) handDown(tree);
    const probe = join(tree.parent, `${process.pid}-probe`);
    mkdirSync(probe, { recursive: true });
    rmdirSync(probe);
    return tree;
  } catch (error) {
    if (!isAnswer(error)) throw error;
    return undefined;
  }
}

/** A group of version 2 that hands controllers down holds no processes itself: those of the server move aside. */
function handDown({ parent, controllers }: Tree): void {
  const own = join(parent, "..");
  const wanted = controllers.map((name) => `+${name}`).join(" ");
  const handed = readFileSync(join(own, "cgroup.subtree_control"), "utf8").split(/\s+/);
  if (!controllers.every((name) => handed.includes(name))) {
    const aside = join(own, serverGroup);
    mkdirSync(aside, { recursive: true });
    for (const pid of readFileSync(join(own, "cgroup.procs"), "utf8").split("\n").filter(Boolean))
      writeFileSync(join(aside, "cgroup.procs"), pid);
    writeFileSync(join(own, "cgroup.subtree_control"), wanted);
  }
  writeFileSync(join(parent, "cgroup.subtree_control"), wanted);
}

const serverGroup = "plinth-server";

function findTrees(): Tree[] {
  if (!existsSync("/proc/self/cgroup")) return [];
  const own = readFileSync("/proc/self/cgroup", "utf8").trim().split("\n");
  const mounts = readFileSync("/proc/self/mountinfo", "utf8").split("\n");
  const trees: Tree[] = [];
  const taken = new Set<Controller>();
  for (const line of own) {
    const [, names = "", path = "/"] = /^\d+:([^:]*):(.*)$/.exec(line) ?? [];
    const version = names === "" ? 2 : 1;
    const root = findMount(mounts, version, names);
    if (root === undefined) continue;
    const group = join(root, path.replace(new RegExp(`/${serverGroup}$`), ""));
    const offered =
      version === 1
        ? names.split(",")
        : readFileSync(join(group, "cgroup.controllers"), "utf8").trim().split(/\s+/);
    const mine = controllers.filter((name) => offered.includes(name) && !taken.has(name));
    if (mine.length === 0) continue;
    mine.forEach((name) => taken.add(name));
    trees.push({ version, parent: join(group, parentName), controllers: mine });
  }
  return trees;
}

function findMount(mounts: readonly string[], version: 1 | 2, names: string): string | undefined {
  for (const line of mounts) {
    const [before = "", after = ""] = line.split(" - ");
    const [type = "", , options = ""] = after.split(" ");
    const place = before.split(" ")[4];
    if (version === 2 && type === "cgroup2") return place;
    if (
      version === 1 &&
      type === "cgroup" &&
      names.split(",").every((name) => options.split(",").includes(name))
    )
      return place;
  }
  return undefined;
}
