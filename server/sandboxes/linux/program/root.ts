// The root file system of a sandbox: the host's programs, read-only, and what a system has of its own.
import { existsSync, lstatSync, readlinkSync } from "node:fs";
import { sandboxLimits } from "../../limits.ts";
import { storedName } from "../../folders.ts";
import { insideId, type Plan } from "./plan-types.ts";
import type { Program } from "./program.ts";
import { programsPlace } from "../../programs.ts";
import { here, mounts, writeFile } from "./steps.ts";

const { bind, recursive, noSetuid, noDevices, noExec } = mounts;
/** Of mount_setattr(2). */
const [attrReadOnly, attrNoSetuid, attrNoDevices, attrNoExec] = [1, 2, 4, 8];

export function buildRoot(program: Program, plan: Plan): void {
  const { tmpBytes } = plan.limits;
  program.call("mount", "tmpfs", "root", "tmpfs", noSetuid | noDevices, "size=256k,mode=755");
  for (const path of [
    "usr",
    "etc",
    "proc",
    "dev",
    "tmp",
    "run",
    "home",
    "home/agent",
    "mnt",
    "var",
    "workspace",
  ])
    program.call("mkdirat", here, `root/${path}`, 0o755);
  program.call("symlinkat", "../tmp", here, "root/var/tmp");
  bindSystem(program, plan.rootfs);
  for (const [name, to] of Object.entries(plan.links))
    program.call("symlinkat", to, here, `root/${name}`);
  for (const [path, text] of Object.entries(syntheticFiles))
    writeFile(program, `root/${path}`, text);
  program.call("mount", "proc", "root/proc", "proc", noSetuid | noDevices | noExec, 0);
  for (const path of hiddenInProc.filter((each) => existsSync(each))) {
    program.call("mount", "/dev/null", `root${path}`, 0, bind, 0);
    protect(program, `root${path}`, attrReadOnly | attrNoSetuid | attrNoExec);
  }
  makeDevices(program);
  const temporary = (path: string, bytes: number, mode: string) =>
    program.call(
      "mount",
      "tmpfs",
      path,
      "tmpfs",
      noSetuid | noDevices,
      `size=${bytes},mode=${mode}`,
    );
  temporary("root/tmp", tmpBytes, "1777");
  temporary("root/home/agent", tmpBytes, "755");
  temporary("root/run", sandboxLimits.runBytes, "755");
  temporary("root/dev/shm", sandboxLimits.shmBytes, "1777");
  const harmless = attrNoSetuid | attrNoDevices;
  program.call("mount", "workspace", "root/workspace", 0, bind | recursive, 0);
  protect(program, "root/workspace", harmless);
  for (const { path, kind } of plan.folders) {
    for (const [at] of path
      .slice(1)
      .matchAll(/\//g)
      .map(({ index }) => [index + 1] as const))
      program.attempt("mkdirat", here, `root${path.slice(0, at)}`, 0o755);
    program.call("mkdirat", here, `root${path}`, 0o755);
    if (kind === "in_memory") temporary(`root${path}`, tmpBytes, "755");
    else {
      const source = kind === "layer" ? "layer" : `folders/${storedName(path)}`;
      program.call("mount", source, `root${path}`, 0, bind, 0);
      protect(program, `root${path}`, harmless | (kind === "writable" ? 0 : attrReadOnly));
    }
  }
  if (plan.programs !== undefined) {
    program.call("mkdirat", here, "root/opt", 0o755);
    program.call("mkdirat", here, `root${programsPlace}`, 0o755);
    program.call("mount", "programs", `root${programsPlace}`, 0, bind, 0);
    protect(program, `root${programsPlace}`, attrReadOnly | attrNoSetuid | attrNoDevices);
  }
  protect(program, "root/dev", attrReadOnly | attrNoSetuid | attrNoExec);
  protect(program, "root", attrReadOnly | attrNoSetuid | attrNoDevices);
}

/** Of `etc` what programs need to run; nothing that says whose machine this is. */
export const sharedConfiguration = [
  "alternatives",
  "ld.so.cache",
  "ld.so.conf",
  "ld.so.conf.d",
  "mime.types",
  "ssl/certs",
  "ssl/openssl.cnf",
  "pki/ca-trust/extracted",
  "pki/tls/certs",
  "crypto-policies",
  "localtime",
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
  "/proc/kcore",
  "/proc/keys",
  "/proc/key-users",
  "/proc/kallsyms",
  "/proc/timer_list",
  "/proc/sched_debug",
  "/proc/swaps",
  "/proc/cmdline",
  "/proc/sysrq-trigger",
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
  program.call(
    "mount",
    "devpts",
    `${root}/pts`,
    "devpts",
    noSetuid | noExec,
    "newinstance,ptmxmode=0666,mode=620",
  );
  const links = {
    ptmx: "pts/ptmx",
    fd: "/proc/self/fd",
    stdin: "/proc/self/fd/0",
    stdout: "/proc/self/fd/1",
    stderr: "/proc/self/fd/2",
  };
  for (const [name, target] of Object.entries(links))
    program.call("symlinkat", target, here, `${root}/${name}`);
}

function protect(program: Program, path: string, attributes: number): void {
  const isTree = path === "root/usr" ? 0x8000 : 0; // AT_RECURSIVE
  const request = Buffer.alloc(32); // struct mount_attr
  request.writeBigUInt64LE(BigInt(attributes));
  program.call("mount_setattr", here, path, isTree, request, request.length);
}
