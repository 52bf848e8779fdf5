// Virtual sandboxes as the host sees them: what their processes may do, and what is left of them.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, test } from "node:test";
import { systemClock } from "../../kernel/base/clock.ts";
import { systemRandom } from "../../kernel/base/random.ts";
import { checkSandboxes, defaultLimits, openVirtual } from "../../server/sandboxes/module.ts";
import { openProvider } from "../../server/sandboxes/open.ts";
import { testTimeoutMs } from "../test-timeout.ts";
import { temporaryDirectory } from "./machine.ts";

const mib = 1024 * 1024;
const usual = { timeoutMs: testTimeoutMs, bytesMax: 10_000 };
const skip = process.platform === "linux" ? false : "looks at processes in /proc";

async function openOne(limits = defaultLimits) {
  const directory = temporaryDirectory();
  const provider = await openVirtual({ clock: systemClock, random: systemRandom, directory });
  after(() => provider.close());
  await provider.ensure({ sessionId: "one", limits, env: {} });
  const call = async (command: string) => {
    const result = await provider.exec("one", { ...usual, command });
    return { ...result, output: result.output.toString() };
  };
  return { directory, provider, call, workspace: join(directory, "virtual/one/files") };
}

async function until(holds: () => boolean): Promise<void> {
  const limit = AbortSignal.timeout(testTimeoutMs);
  while (!holds()) {
    limit.throwIfAborted();
    await systemClock.sleep(50);
  }
}

const commandLine = (pid: number | string): string => {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "latin1");
  } catch {
    return "";
  }
};

/** Of processes of sandboxes whose workspaces lie in this directory. */
const processesOf = (directory: string): string[] =>
  readdirSync("/proc").filter(
    (pid) => /^\d+$/.test(pid) && commandLine(pid).includes(`${directory}/virtual/`),
  );

test("[SBX60] auto is linux on Linux, and the doctor tells of the provider that is named", async () => {
  const world = { clock: systemClock, random: systemRandom, directory: temporaryDirectory() };
  const named = async (provider: "auto" | "virtual") => {
    const opened = await openProvider(world, { provider, rootfs: "/" });
    await opened.close();
    return opened.name;
  };
  assert.equal(await named("auto"), process.platform === "linux" ? "linux" : "virtual");
  assert.equal(await named("virtual"), "virtual");
  const sections = { sandbox: { provider: "virtual" } };
  const [first, ...guarantees] = await checkSandboxes({ dataDir: world.directory, sections });
  assert.match(first?.found ?? "", /a shell in JavaScript/);
  assert.equal(guarantees.length, 7);
});

test("[SBX61] a sandbox sees no file of the host but its workspace", async () => {
  const { call, workspace, directory } = await openOne();
  writeFileSync(join(directory, "secret"), "SECRET");
  symlinkSync(join(directory, "secret"), join(workspace, "planted"));
  symlinkSync(directory, join(workspace, "folder"));
  const tries = [
    `cat ${directory}/secret`,
    "cat planted",
    `ln -s ${directory}/secret own; cat own`,
    `ln ${directory}/secret own; cat own`,
    "cat folder/secret",
    "cat ../../secret",
    "cat /workspace/../../secret",
    "cp planted copy; cat copy",
    "mv planted /tmp/moved; cat /tmp/moved",
    "cat /etc/passwd /proc/1/environ",
    "grep -r SECRET / /workspace",
    "tar c planted folder | strings",
  ];
  for (const command of tries) {
    const { output } = await call(command);
    assert.ok(!/SECRET\n?$|root:/.test(output), `${command}: ${output}`);
  }
  await call("echo changed >planted; echo changed >folder/made; rm -rf folder/*");
  assert.equal(readFileSync(join(directory, "secret"), "utf8"), "SECRET");
  assert.ok(!existsSync(join(directory, "made")));
});

test(
  "[SBX61] its process has no environment and the permissions of Node.js",
  { skip },
  async () => {
    const { call, directory, workspace } = await openOne();
    await call("true");
    const [pid, ...others] = processesOf(directory);
    assert.deepEqual(others, []);
    assert.ok(pid);
    const names = readFileSync(`/proc/${pid}/environ`, "latin1")
      .split("\0")
      .map((entry) => entry.split("=")[0] ?? "");
    assert.deepEqual(
      names.filter((name) => name !== "" && !name.startsWith("NODE_CHANNEL")),
      [],
    );
    const words = commandLine(pid).split("\0");
    assert.ok(words.includes("--permission"));
    assert.deepEqual(
      words.filter((word) => word.startsWith("--allow-") && !word.startsWith("--allow-fs-read")),
      [`--allow-fs-write=${workspace}`, "--allow-worker"],
    );
  },
);

test("[SBX80] that nothing runs beside a call is said", async () => {
  const { call, provider } = await openOne();
  await call("true");
  await assert.rejects(provider.exec("one", { ...usual, command: ["true"], isBeside: true }), {
    name: "SandboxError",
  });
});

test("[SBX62] memory that is not to be had ends the process, and files stay", async () => {
  const { call } = await openOne({ ...defaultLimits, memoryBytes: 64 * mib });
  await call("echo kept >file");
  const greedy = await call(
    'a=$(head -c 1000000 /dev/zero | tr \'\\0\' x); while :; do b+=("$a$RANDOM"); c+=("${b[*]}"); done',
  );
  const next = await call("cat file");
  assert.equal(next.output, "kept\n");
  assert.equal(greedy.code === null, next.isRestarted, "it was refused, or it ended");
  assert.notEqual(greedy.code, 0);
});

test("[SBX62] so does memory beside the heap", async () => {
  const { call } = await openOne({ ...defaultLimits, memoryBytes: 64 * mib });
  const greedy = await call(
    "for n in 1 2 3 4; do head -c 60000000 /dev/zero >/tmp/$n; done; sleep 1000",
  );
  assert.deepEqual([greedy.code, greedy.isTimedOut], [null, false]);
  assert.equal((await call("ls /tmp")).isRestarted, true);
});

test("[SBX62] what a call had written before it was ended is there", async () => {
  const { call, provider, workspace } = await openOne();
  const command = "echo first >a; mkdir b; echo second >b/c; sleep 1000";
  const abort = new AbortController();
  const running = provider.exec("one", { ...usual, command, signal: abort.signal });
  const file = join(workspace, "b/c");
  await until(() => existsSync(file) && readFileSync(file, "utf8") === "second\n");
  abort.abort();
  assert.equal((await running).isAborted, true);
  assert.equal((await call("cat a b/c; ls -A")).output, "first\nsecond\na\nb\n");
});

test("[SBX63] when the server is killed, busy processes end too", { skip }, async () => {
  const directory = temporaryDirectory();
  const server = spawn(
    process.execPath,
    [join(import.meta.dirname, "virtual-server.ts"), directory],
    {
      stdio: ["ignore", "pipe", "inherit"],
    },
  );
  const [said] = (await once(server.stdout, "data")) as [Buffer];
  assert.equal(said.toString(), "ready\n");
  assert.equal(processesOf(directory).length, 1);
  server.kill("SIGKILL");
  await once(server, "exit");
  await until(() => processesOf(directory).length === 0);
});

test("[SBX64] what is beside the workspace has a limit, and is gone with the shell", async () => {
  const { call, provider } = await openOne({ ...defaultLimits, tmpBytes: mib });
  await call("echo kept >/tmp/file");
  assert.equal((await call("cat /tmp/file")).output, "kept\n");
  const { output } = await call("head -c 2000000 /dev/zero >/tmp/large; ls /tmp");
  assert.match(output, /ENOSPC|limit|space/i);
  await provider.stop("one");
  assert.match((await call("cat /tmp/file")).output, /No such file/);
});
