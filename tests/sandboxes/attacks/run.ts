// Runs every attack and its control, and writes what came of them as one line of JSON: a program, so that it can be
// started as another user, and with a descriptor that it inherited.
// Run: node run.ts direct|bwrap DIRECTORY DESCRIPTOR
import { type ChildProcess, execFile, execFileSync, spawn } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:net";
import { hostname, networkInterfaces } from "node:os";
import { join } from "node:path";
import { systemClock } from "../../../kernel/base/clock.ts";
import { systemRandom } from "../../../kernel/base/random.ts";
import {
  defaultLimits,
  openLinux,
  type SandboxProvider,
} from "../../../server/sandboxes/module.ts";
import { makeDoor } from "../../../server/sandboxes/door/door.ts";
import type { Guarantee } from "../../../server/sandboxes/provider.ts";
import { testTimeoutMs } from "../../test-timeout.ts";
import { type Attack, breach, type Targets } from "./attack.ts";
import { fileAttacks } from "./files.ts";
import { folderAttacks, folders, readOnlyFolder } from "./folders.ts";
import { limitAttacks } from "./limits.ts";
import { networkAttacks } from "./network.ts";
import { processAttacks } from "./processes.ts";

export interface AttackResult {
  name: string;
  /** What stands in the way, where the attack needs something that the probe does not promise here. */
  unpromised: string | null;
  isHeld: boolean;
  /** Null where the control is one that only root can show. */
  hasControlSucceeded: boolean | null;
  seen: string;
}

const [launcher, base = "", descriptor = ""] = process.argv.slice(2);
if (launcher !== "direct" && launcher !== "bwrap") throw new Error("direct or bwrap");
const isRoot = process.getuid?.() === 0;
const directory = join(base, "sandboxes");
const [target, other] = ["target", "other"];
const timeoutMs = testTimeoutMs;

const open = (folder: string, kinds?: readonly ["plain"]) =>
  openLinux({
    clock: systemClock,
    random: systemRandom,
    directory: folder,
    launchers: [launcher],
    ...(kinds !== undefined && { workspaceKinds: kinds }),
  });

const listening = (path: string | number): Promise<Server> =>
  new Promise((resolve) => {
    const server = createServer((socket) => {
      socket.on("error", () => {});
      socket.once("data", () => socket.end(`HTTP/1.0 200 OK\r\n\r\n${breach}\n`));
    });
    if (typeof path === "string") server.listen(path, () => resolve(server));
    else server.listen(path, "0.0.0.0", () => resolve(server));
  });

async function openTargets() {
  mkdirSync(directory, { recursive: true });
  const secretFile = join(directory, "secret");
  writeFileSync(secretFile, "SECRET\n");
  const name = systemRandom.bytes(8).toString("hex");
  const victim: ChildProcess = spawn("sleep", ["3600"], { stdio: "ignore" });
  const socketPath = join(base, "socket");
  const servers = await Promise.all([listening(0), listening(`\0${name}`), listening(socketPath)]);
  const address = servers[0]?.address();
  const sharedMemoryKey = systemRandom.bytes(4).readUInt32BE() >>> 2;
  const create = `print shmget(${sharedMemoryKey}, 4096, 01600)`;
  const sharedMemory = execFileSync("perl", ["-e", create], { encoding: "utf8" });
  process.env["PLINTH_TEST_MARK"] = name;
  const targets: Targets = {
    secretFile,
    directory,
    socketPath,
    sharedMemoryKey,
    abstractSocket: name,
    inheritedDescriptor: Number(descriptor),
    environmentMark: name,
    pid: victim.pid ?? 0,
    port: typeof address === "object" && address !== null ? address.port : 0,
    address:
      Object.values(networkInterfaces())
        .flatMap((all) => all ?? [])
        .find(({ family, internal }) => family === "IPv4" && !internal)?.address ?? "127.0.0.1",
    hostname: hostname(),
  };
  return {
    targets,
    close() {
      victim.kill("SIGKILL");
      servers.forEach((server) => server.close());
      execFileSync("perl", ["-e", `shmctl(${sharedMemory}, 0, 0)`]);
    },
  };
}

/** To every public host. */
const openDoor = () =>
  makeDoor({
    world: { clock: systemClock, logger: undefined as never, sections: {} },
    policy: async () => ({ type: "unrestricted" }),
    onRefused: () => {},
    inTurn: (work) => work(),
  });

/** What the line wrote. */
async function inSandbox(
  provider: SandboxProvider,
  line: string,
  limits: Attack["limits"],
  sessionId = `${target}${JSON.stringify(limits ?? {}).replaceAll(/\W/g, "_")}`,
): Promise<string> {
  const given = { ...defaultLimits, ...limits };
  await provider.ensure({ sessionId, limits: given, env: {}, folders, network: openDoor() });
  const fact = { path: "fact", content: Buffer.from("true\n") };
  await provider.fill(sessionId, readOnlyFolder, { files: [fact] });
  const request = { command: `${line}\n:`, timeoutMs, bytesMax: 100_000 };
  const { output, isTimedOut } = await provider.exec(sessionId, request);
  if (isTimedOut) throw new Error(`${line} took too long`);
  if (limits !== undefined) await provider.destroy(sessionId);
  return output.toString();
}

const outside = (line: string): Promise<string> =>
  new Promise((resolve) =>
    execFile("/bin/bash", ["-c", line], { cwd: base, timeout: timeoutMs }, (_error, stdout) =>
      resolve(stdout),
    ),
  );

async function control(
  { line, control, limits }: Attack,
  targets: Targets,
  providers: { usual: SandboxProvider; plain: SandboxProvider },
): Promise<string | null> {
  if (control.by === "outside")
    return control.isForRoot === true && !isRoot
      ? null
      : await outside((control.line ?? line)(targets));
  if (control.by === "another line")
    return await inSandbox(providers.usual, control.line(targets), undefined);
  if (control.by === "looser limits")
    return await inSandbox(providers.usual, line(targets), { ...limits, ...control.limits });
  if (control.by === "plain bind") return await inSandbox(providers.plain, line(targets), {});
  return await inSandbox(providers.usual, line(targets), undefined, other);
}

const opened = await openTargets();
const providers = {
  usual: await open(directory),
  plain: await open(join(directory, "plain"), ["plain"]),
};
const { guarantees } = await providers.usual.probe();
const prepare = "touch of-another-session; sleep 100000 & :";
await inSandbox(providers.usual, prepare, undefined, other);
const results: AttackResult[] = [];
const attacks = [
  ...fileAttacks,
  ...folderAttacks,
  ...processAttacks,
  ...networkAttacks,
  ...limitAttacks,
];
for (const attack of attacks) {
  const promise: Guarantee | undefined = attack.guarantee && guarantees[attack.guarantee];
  const seen = await inSandbox(providers.usual, attack.line(opened.targets), attack.limits);
  const shown = await control(attack, opened.targets, providers);
  results.push({
    name: attack.name,
    unpromised: promise === undefined || promise.level === "enforced" ? null : promise.reason,
    isHeld: !seen.includes(breach),
    hasControlSucceeded: shown === null ? null : shown.includes(breach),
    seen: `${seen} / ${shown}`,
  });
}
for (const provider of Object.values(providers)) {
  for (const sessionId of await provider.list()) await provider.destroy(sessionId);
  await provider.close();
}
opened.close();
process.stdout.write(`${JSON.stringify(results)}\n`);
