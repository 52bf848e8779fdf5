// A Docker daemon of a test's own, with one image made of this machine's programs: nothing is fetched.
import { execFileSync, spawn, spawnSync, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import {
  closeSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { type IncomingMessage, request } from "node:http";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { after } from "node:test";
import { systemClock } from "../../kernel/base/clock.ts";
import { unmountBelow } from "../../server/sandboxes/workspaces/mounts.ts";
import { shared, sharesBetweenFiles } from "../shared.ts";
import { testTimeoutMs } from "../test-timeout.ts";
import { isRoot } from "./machine.ts";

export const testImage = "plinth-test:1";

/** CAP_SYS_ADMIN. */
const mayMount = 1n << 21n;

/** Why there can be none; false where there can. */
export const daemonFault: string | false = findDaemonFault();

function findDaemonFault(): string | false {
  if (process.platform !== "linux") return "a Docker daemon of a test's own runs on Linux alone";
  if (!isRoot) return "only root can start a Docker daemon";
  const { error } = spawnSync("dockerd", ["--version"], { stdio: "ignore" });
  if (error !== undefined) return "dockerd is not installed";
  if (spawnSync("dpkg", ["--version"], { stdio: "ignore" }).error !== undefined)
    return "the image is made of Debian's packages, and there is no dpkg";
  const rights = /^CapEff:\s*(\S+)$/m.exec(readFileSync("/proc/self/status", "utf8"))?.[1];
  if ((BigInt(`0x${rights}`) & mayMount) === 0n)
    return "a container without privileges cannot start a Docker daemon";
  return ["cgroup.controllers", "devices"].some((name) => existsSync(`/sys/fs/cgroup/${name}`))
    ? false
    : "a Docker daemon needs control groups, and none are mounted";
}

export interface TestDaemon extends AsyncDisposable {
  socket: string;
  /** Ends it as a machine that is turned off does, and starts it again. */
  restart(): Promise<void>;
  /** The same, killed: what it has started runs on meanwhile. */
  crash(meanwhile: () => Promise<void>): Promise<void>;
}

let own: Promise<TestDaemon> | undefined;
if (!sharesBetweenFiles()) after(async () => await (await own)?.[Symbol.asyncDispose]());

/** One for each process of tests; it ends after them. */
export function testDaemon(): Promise<TestDaemon> {
  if (sharesBetweenFiles()) return shared("a Docker daemon", startDaemon, () => true);
  own ??= startDaemon();
  return own;
}

async function startDaemon(): Promise<TestDaemon> {
  const scratch = mkdtempSync(join(tmpdir(), "plinth-docker-"));
  const socket = join(scratch, "docker.sock");
  let daemon = await launch(scratch, socket);
  await importImage(socket, scratch);
  return {
    socket,
    async restart() {
      await end(daemon);
      daemon = await launch(scratch, socket);
    },
    async crash(meanwhile) {
      await end(daemon, "SIGKILL");
      try {
        await meanwhile();
      } finally {
        for (const path of [join(scratch, "pid"), join(scratch, "exec/containerd/containerd.pid")])
          rmSync(path, { force: true });
        daemon = await launch(scratch, socket);
      }
    },
    async [Symbol.asyncDispose]() {
      await end(daemon);
      await unmountBelow(scratch);
      rmSync(scratch, { recursive: true, force: true });
    },
  };
}

async function launch(scratch: string, socket: string): Promise<ChildProcess> {
  const log = openSync(join(scratch, "log"), "a");
  const words = [
    ["--data-root", join(scratch, "data")],
    ["--exec-root", join(scratch, "exec")],
    ["--pidfile", join(scratch, "pid")],
    ["--host", `unix://${socket}`],
    ["--iptables=false", "--ip-forward=false", "--ip-masq=false", "--bridge=none"],
  ].flat();
  // It ends with this process, however that ends.
  const bound = ["--pdeathsig", "TERM", "--", "dockerd", ...words];
  const daemon = spawn("setpriv", bound, { stdio: ["ignore", log, log] });
  closeSync(log);
  const limit = AbortSignal.timeout(testTimeoutMs);
  while (!(await answers(socket))) {
    if (daemon.exitCode !== null || limit.aborted)
      throw new Error(`dockerd does not start: ${readFileSync(join(scratch, "log"), "utf8")}`);
    await systemClock.sleep(50);
  }
  return daemon;
}

async function end(daemon: ChildProcess, signal: "SIGTERM" | "SIGKILL" = "SIGTERM"): Promise<void> {
  if (daemon.exitCode !== null) return;
  const exited = once(daemon, "exit");
  daemon.kill(signal);
  await exited;
}

async function answers(socketPath: string): Promise<boolean> {
  const asked = request({ socketPath, path: "/_ping", agent: false }).end();
  try {
    const [response] = (await once(asked, "response")) as [IncomingMessage];
    response.resume();
    return response.statusCode === 200;
  } catch {
    return false; // it is not there yet
  }
}

/** Bash and what an ordinary system has beside it, with the libraries that they load: some 20 MB. */
const packages = ["bash", "dash", "coreutils", "findutils", "grep", "sed", "mawk", "perl-base"];
const others = ["/usr/bin/setsid", "/usr/bin/ps", "/usr/bin/mount", "/usr/lib/locale/C.utf8"];
/** What these load all of them do. */
const loaders = [
  "bash",
  "ls",
  "mv",
  "stat",
  "expr",
  "sort",
  "find",
  "grep",
  "sed",
  "mawk",
  "perl",
  "ps",
  "mount",
];

async function importImage(socketPath: string, scratch: string): Promise<void> {
  const root = join(scratch, "image");
  for (const path of ["etc", "proc", "dev", "sys", "tmp", "run", "mnt", "workspace"])
    mkdirSync(join(root, path), { recursive: true });
  for (const path of ["bin", "sbin", "lib", "lib64"]) {
    mkdirSync(join(root, "usr", path), { recursive: true });
    symlinkSync(`usr/${path}`, join(root, path));
  }
  symlinkSync("mawk", join(root, "usr/bin/awk"));
  const [list, archive] = [join(scratch, "files"), join(scratch, "image.tar")];
  writeFileSync(list, filesOfImage().join("\0"));
  execFileSync("tar", ["-cf", archive, "-C", root, "."]);
  execFileSync("tar", ["-rhf", archive, "--null", "-C", "/", "-T", list]);
  const [name, tag] = testImage.split(":");
  const path = `/images/create?fromSrc=-&repo=${name}&tag=${tag}`;
  const said = await post(socketPath, path, readFileSync(archive));
  if (said.includes("error")) throw new Error(`The image could not be made: ${said}`);
}

async function post(
  socketPath: string,
  path: string,
  body: Buffer | string,
  method = "POST",
): Promise<string> {
  const type = typeof body === "string" ? "application/json" : "application/x-tar";
  const headers = { "content-type": type };
  const asked = request({ socketPath, method, path, agent: false, headers });
  asked.end(body);
  const [response] = (await once(asked, "response")) as [IncomingMessage];
  const said = (await response.toArray()).join("");
  if ((response.statusCode ?? 500) >= 400) throw new Error(`${path}: ${said}`);
  return said;
}

/** The test's image with instructions of a Dockerfile and programs by their paths; its name. */
export async function makeImage(
  name: string,
  changes: readonly string[],
  files: Readonly<Record<string, string>> = {},
): Promise<string> {
  const { socket } = await testDaemon();
  const container = JSON.stringify({ Image: testImage, Cmd: ["/bin/bash"] });
  const made = await post(socket, "/containers/create", container);
  const { Id: id } = JSON.parse(made) as { Id: string };
  await post(socket, `/containers/${id}/archive?path=/`, archiveOf(files), "PUT");
  const [repo, tag] = name.split(":");
  const said = changes.map((change) => `&changes=${encodeURIComponent(change)}`).join("");
  await post(socket, `/commit?container=${id}&repo=${repo}&tag=${tag}${said}`, "{}");
  return name;
}

function archiveOf(files: Readonly<Record<string, string>>): Buffer {
  const root = mkdtempSync(join(tmpdir(), "plinth-image-"));
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text, { mode: 0o755 });
  }
  const archive = execFileSync("tar", ["-c", "-C", root, ...Object.keys(files), "-T/dev/null"]);
  rmSync(root, { recursive: true });
  return archive;
}

/** Relative to `/`, each below `usr`, where `bin` and the like lead. */
function filesOfImage(): string[] {
  const listed = execFileSync("dpkg", ["-L", ...packages], { encoding: "utf8" }).split("\n");
  const isWanted = (path: string) => /^(\/usr)?\/s?bin\/|\/perl-base\//.test(path);
  const files = listed.filter((path) => isWanted(path) && isFile(path));
  const programs = loaders.map((name) => `/usr/bin/${name}`);
  const loaded = execFileSync("ldd", programs, { encoding: "utf8" });
  const libraries = [...loaded.matchAll(/(\/\S+\.so\S*) \(0x/g)].map(([, path]) => path ?? "");
  return [...new Set([...files, ...others, ...libraries].map(belowUsr))];
}

const isFile = (path: string): boolean => existsSync(path) && !existsSync(`${path}/.`);

/** Of a path, without its first stroke: directories are real ones, a file may be a link. */
const belowUsr = (path: string): string =>
  join(realpathSync(dirname(path)), path.slice(path.lastIndexOf("/") + 1)).slice(1);
