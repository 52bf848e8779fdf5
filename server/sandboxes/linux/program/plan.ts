// The system calls that turn a fresh process into a sandbox.
import { existsSync, lstatSync, readlinkSync } from "node:fs";
import { sandboxLimits } from "../../limits.ts";
import type { SandboxLimits } from "../../provider.ts";
import { makeFilter } from "./filter.ts";
import type { Machine } from "./numbers.ts";
import { makePipes } from "./pipes.ts";
import { makeProgram, type Program } from "./program.ts";

export interface Plan {
  machine: Machine;
  /** An empty directory over which the root of the sandbox is put together, in a mount namespace of its own. */
  stage: string;
  /** Of the session; without one it is the server's own, which is not root. */
  owner?: number;
  /** The server's uid and gid. */
  server: { uid: number; gid: number };
  /** `/`, or a directory with another system's `usr` and `etc`. */
  rootfs: string;
  workspace: Workspace;
  limits: SandboxLimits;
  /** Limits of single processes, where no cgroup holds all of them together. */
  isWithoutMemoryCgroup: boolean;
  env: Readonly<Record<string, string>>;
}

/**
 * A file system in a file, which cannot grow; or a directory with `files`, `work` and `empty` in it. Those are put
 * together by overlayfs under names relative to it: a plain bind would show its whole path in /proc/self/mountinfo.
 */
export type Workspace = { image: string; loop: number } | { directory: string; isPlain: boolean };

/** Who an agent is inside. */
export const insideId = 1000;
const here = -100n; // AT_FDCWD
const firstFree = 3; // the runner has closed all descriptors from here on
const [bind, recursive, isPrivate] = [0x1000, 0x4000, 0x4_0000];
const [noSetuid, noDevices, noExec] = [2, 4, 8];
const [attrReadOnly, attrNoSetuid, attrNoDevices, attrNoExec] = [1, 2, 4, 8];
const [writeOnly, create] = [0o1, 0o100];
const newMounts = 0x2_0000;
/** user, pid, ipc, uts, net, mount, cgroup. */
const allNamespaces = 0x1000_0000 | 0x2000_0000 | 0x800_0000 | 0x400_0000 | 0x4000_0000 | newMounts | 0x200_0000;
const [setDeathSignal, setDumpable, dropBounding, setNoNewPrivileges] = [1, 4, 24, 38];
const sigkill = 9;

export function planSandbox(plan: Plan): Program {
  const program = makeProgram();
  const { owner, server } = plan;
  makePipes(program, owner);
  program.call("umask", 0o022);
  if (owner !== undefined) {
    // What lies in the server's directories is mounted while it may still be reached.
    program.call("unshare", newMounts);
    stageWorkspace(program, plan);
    takeOwner(program, owner);
  }
  // Changing the uid has taken it back.
  program.call("prctl", setDeathSignal, sigkill, 0, 0, 0);
  program.call("unshare", allNamespaces);
  writeFile(program, "/proc/self/setgroups", "deny");
  writeFile(program, "/proc/self/uid_map", `${insideId} ${owner ?? server.uid} 1`);
  writeFile(program, "/proc/self/gid_map", `${insideId} ${owner ?? server.gid} 1`);
  if (owner === undefined) stageWorkspace(program, plan);
  program.fork();
  program.call("prctl", setDeathSignal, sigkill, 0, 0, 0);
  program.call("mount", 0, "/", 0, recursive | isPrivate, 0);
  buildRoot(program, plan);
  program.call("chdir", "root");
  program.call("pivot_root", ".", ".");
  program.call("umount2", ".", 2);
  program.call("chdir", "/workspace");
  program.call("sethostname", "sandbox", 7);
  raiseLoopback(program);
  limitProcess(program, plan, { isCountingProcesses: true });
  giveUpRights(program);
  program.call("prctl", setDeathSignal, sigkill, 0, 0, 0);
  program.call("seccomp", 1, 0, { filter: makeFilter(plan.machine) });
  program.call("execve", "/bin/bash", { strings: shellWords }, { strings: environment(plan.env) });
  return program;
}

export function takeOwner(program: Program, owner: number): void {
  program.call("setgroups", 0, 0);
  program.call("setresgid", owner, owner, owner);
  program.call("setresuid", owner, owner, owner);
  // Else /proc/self would belong to root after the change, and no ids could be mapped.
  program.call("prctl", setDumpable, 1, 0, 0, 0);
}

/** It reads what it runs from its standard input. */
export const shellWords = ["bash", "--noprofile", "--norc", "-s"];

export function environment(env: Readonly<Record<string, string>>): string[] {
  const usual = {
    PATH: "/usr/local/bin:/usr/bin:/bin:/usr/local/sbin:/usr/sbin:/sbin",
    HOME: "/home/agent",
    USER: "agent",
    SHELL: "/bin/bash",
    LANG: "C.UTF-8",
    TERM: "dumb",
  };
  return Object.entries({ ...usual, ...env }).map(([name, value]) => `${name}=${value}`);
}

/** Puts it to `workspace` in the working directory. */
export function stageWorkspace(program: Program, { stage, workspace, owner }: Plan): void {
  program.call("mount", 0, "/", 0, recursive | isPrivate, 0);
  program.call("chdir", stage);
  program.call("mount", "tmpfs", ".", "tmpfs", noSetuid | noDevices, "size=64k,mode=755");
  // The working directory is still the one below.
  program.call("chdir", stage);
  program.call("mkdirat", here, "root", 0o755);
  program.call("mkdirat", here, "workspace", 0o755);
  if ("image" in workspace) mountImage(program, workspace);
  else if (workspace.isPlain)
    program.call("mount", `${workspace.directory}/files`, "workspace", 0, bind, 0);
  else mountOverlay(program, stage, workspace.directory, owner === undefined);
  if (owner !== undefined) program.call("fchownat", here, "workspace", owner, owner, 0);
}

/** The loop device goes by itself when the last process of this namespace is gone. */
function mountImage(program: Program, { image, loop }: { image: string; loop: number }): void {
  const [readWrite, addDevice, configure, autoClear] = [2, 0x4c80, 0x4c0a, 4];
  const device = `/dev/loop${loop}`;
  program.call("openat", here, "/dev/loop-control", readWrite, 0);
  program.attempt("ioctl", firstFree, addDevice, loop);
  program.call("close", firstFree);
  program.call("openat", here, device, readWrite, 0);
  program.call("openat", here, image, readWrite, 0);
  const config = Buffer.alloc(304); // struct loop_config: fd, block size, struct loop_info64
  config.writeUInt32LE(firstFree + 1);
  config.writeUInt32LE(autoClear, 8 + 52);
  program.call("ioctl", firstFree, configure, config);
  program.call("mkdirat", here, "image", 0o755);
  program.call("mount", device, "image", "ext4", noSetuid | noDevices, 0);
  // Beside it lies the file system's own folder for what it finds again.
  program.attempt("mkdirat", here, "image/files", 0o755);
  program.call("mount", "image/files", "workspace", 0, bind, 0);
  program.call("close", firstFree);
  program.call("close", firstFree + 1);
}

function mountOverlay(
  program: Program,
  stage: string,
  directory: string,
  isUnprivileged: boolean,
): void {
  const options = `lowerdir=empty,upperdir=files,workdir=work${isUnprivileged ? ",userxattr" : ""}`;
  program.call("chdir", directory);
  program.call("mount", "workspace", `${stage}/workspace`, "overlay", noSetuid | noDevices, options);
  program.call("chdir", stage);
}

function buildRoot(program: Program, plan: Plan): void {
  const { tmpBytes } = plan.limits;
  program.call("mount", "tmpfs", "root", "tmpfs", noSetuid | noDevices, "size=256k,mode=755");
  for (const path of ["usr", "etc", "proc", "dev", "tmp", "run", "home", "home/agent", "mnt", "var", "workspace"])
    program.call("mkdirat", here, `root/${path}`, 0o755);
  program.call("symlinkat", "../tmp", here, "root/var/tmp");
  bindSystem(program, plan.rootfs);
  for (const [path, text] of Object.entries(syntheticFiles)) writeFile(program, `root/${path}`, text);
  program.call("mount", "proc", "root/proc", "proc", noSetuid | noDevices | noExec, 0);
  for (const path of hiddenInProc.filter((each) => existsSync(each))) {
    program.call("mount", "/dev/null", `root${path}`, 0, bind, 0);
    protect(program, `root${path}`, attrReadOnly | attrNoSetuid | attrNoExec);
  }
  makeDevices(program);
  const temporary = (path: string, bytes: number, mode: string) =>
    program.call("mount", "tmpfs", path, "tmpfs", noSetuid | noDevices, `size=${bytes},mode=${mode}`);
  temporary("root/tmp", tmpBytes, "1777");
  temporary("root/home/agent", tmpBytes, "755");
  temporary("root/run", sandboxLimits.runBytes, "755");
  temporary("root/dev/shm", sandboxLimits.shmBytes, "1777");
  program.call("mount", "workspace", "root/workspace", 0, bind | recursive, 0);
  protect(program, "root/workspace", attrNoSetuid | attrNoDevices);
  protect(program, "root/dev", attrReadOnly | attrNoSetuid | attrNoExec);
  protect(program, "root", attrReadOnly | attrNoSetuid | attrNoDevices);
}

/** Of `etc` what programs need to run; nothing that says whose machine this is. */
export const sharedConfiguration = [
  ...["alternatives", "ld.so.cache", "ld.so.conf", "ld.so.conf.d", "mime.types", "ssl/certs"],
  ...["ssl/openssl.cnf", "pki/ca-trust/extracted", "pki/tls/certs", "crypto-policies", "localtime"],
];

export const syntheticFiles: Readonly<Record<string, string>> = {
  "etc/passwd": `root:x:0:0:root:/root:/usr/sbin/nologin\nagent:x:${insideId}:${insideId}:agent:/home/agent:/bin/bash\n`,
  "etc/group": `root:x:0:\nagent:x:${insideId}:\n`,
  "etc/hosts": "127.0.0.1 localhost sandbox\n::1 localhost\n",
  "etc/hostname": "sandbox\n",
  "etc/resolv.conf": "# No names are resolved here.\n",
  "etc/nsswitch.conf": "passwd: files\ngroup: files\nhosts: files\n",
};

/** What the kernel tells there of the machine, or of other processes' keys. */
export const hiddenInProc = [
  ...["/proc/kcore", "/proc/keys", "/proc/key-users", "/proc/kallsyms", "/proc/timer_list"],
  ...["/proc/sched_debug", "/proc/swaps", "/proc/cmdline", "/proc/sysrq-trigger"],
];

/** `bin` and the like: links into `usr` today, directories on older systems. */
export function systemDirectories(rootfs: string): { path: string; link?: string }[] {
  const base = rootfs === "/" ? "" : rootfs;
  return ["bin", "sbin", "lib", "lib32", "lib64", "libx32"].flatMap((path) => {
    const found = lstatSync(`${base}/${path}`, { throwIfNoEntry: false });
    if (found === undefined) return [];
    return [found.isSymbolicLink() ? { path, link: readlinkSync(`${base}/${path}`) } : { path }];
  });
}

function bindSystem(program: Program, rootfs: string): void {
  const base = rootfs === "/" ? "" : rootfs;
  const readOnly = attrReadOnly | attrNoSetuid | attrNoDevices;
  const show = (path: string, isFile: boolean) => {
    if (isFile) writeFile(program, `root/${path}`, "");
    program.call("mount", `${base}/${path}`, `root/${path}`, 0, bind | (isFile ? 0 : recursive), 0);
    protect(program, `root/${path}`, readOnly);
  };
  show("usr", false);
  for (const { path, link } of systemDirectories(rootfs)) {
    if (link !== undefined) {
      program.call("symlinkat", link, here, `root/${path}`);
      continue;
    }
    program.call("mkdirat", here, `root/${path}`, 0o755);
    show(path, false);
  }
  for (const name of sharedConfiguration) {
    const found = statOf(`${base}/etc/${name}`);
    if (found === undefined) continue;
    const steps = name.split("/");
    const parents = steps.slice(0, found.isDirectory ? steps.length : -1);
    for (const index of parents.keys())
      program.attempt("mkdirat", here, `root/etc/${parents.slice(0, index + 1).join("/")}`, 0o755);
    show(`etc/${name}`, !found.isDirectory);
  }
}

function statOf(path: string): { isDirectory: boolean } | undefined {
  if (!existsSync(path)) return undefined;
  return { isDirectory: existsSync(`${path}/.`) };
}

function makeDevices(program: Program): void {
  const root = "root/dev";
  program.call("mount", "tmpfs", root, "tmpfs", noSetuid | noExec, "size=64k,mode=755");
  for (const name of ["null", "zero", "full", "random", "urandom", "tty"]) {
    writeFile(program, `${root}/${name}`, "");
    program.call("mount", `/dev/${name}`, `${root}/${name}`, 0, bind, 0);
    protect(program, `${root}/${name}`, attrNoSetuid | attrNoExec);
  }
  program.call("mkdirat", here, `${root}/pts`, 0o755);
  program.call("mkdirat", here, `${root}/shm`, 0o755);
  program.call("mount", "devpts", `${root}/pts`, "devpts", noSetuid | noExec, "newinstance,ptmxmode=0666,mode=620");
  const links = { ptmx: "pts/ptmx", fd: "/proc/self/fd", stdin: "/proc/self/fd/0", stdout: "/proc/self/fd/1", stderr: "/proc/self/fd/2" };
  for (const [name, target] of Object.entries(links))
    program.call("symlinkat", target, here, `${root}/${name}`);
}

function protect(program: Program, path: string, attributes: number): void {
  const isTree = path === "root/usr" ? 0x8000 : 0; // AT_RECURSIVE
  const request = Buffer.alloc(32); // struct mount_attr
  request.writeBigUInt64LE(BigInt(attributes));
  program.call("mount_setattr", here, path, isTree, request, request.length);
}

function writeFile(program: Program, path: string, text: string): void {
  program.call("openat", here, path, writeOnly | create, 0o644);
  if (text !== "") program.call("write", firstFree, text, Buffer.byteLength(text));
  program.call("close", firstFree);
}

/** The egress door, once there is one, is a socket that listens here. */
function raiseLoopback(program: Program): void {
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
