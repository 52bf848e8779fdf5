// Sandboxes of the provider `linux` as the host sees them: rights, limits, and what is left when a server is killed.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import {
  existsSync,
  globSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { once } from "node:events";
import { join } from "node:path";
import { test } from "node:test";
import { systemClock } from "../../kernel/base/clock.ts";
import { systemRandom } from "../../kernel/base/random.ts";
import { defaultLimits, openLinux } from "../../server/sandboxes/module.ts";
import { until } from "../kernel/sql-harness.ts";
import { testTimeoutMs } from "../test-timeout.ts";
import { isRoot, temporaryDirectory } from "./machine.ts";

const usual = { timeoutMs: testTimeoutMs, bytesMax: 10_000 };
const world = { clock: systemClock, random: systemRandom };

/** Processes of the host that bear the word in their command line. */
const processesWith = (word: string): number[] =>
  readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .filter((pid) => readIfThere(`/proc/${pid}/cmdline`).includes(word))
    .map(Number);

function readIfThere(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return ""; // a process that ended just now
  }
}

const word = () => `plinth-test-${systemRandom.bytes(6).toString("hex")}`;

test("[SBX11] a process inside has no rights, seen from the host", async () => {
  const provider = await openLinux({ ...world, directory: temporaryDirectory() });
  const uids = new Set<string>();
  try {
    for (const sessionId of ["one", "two"]) {
      const mark = word();
      await provider.ensure({ sessionId, limits: defaultLimits, env: {} });
      await provider.exec(sessionId, { ...usual, command: `(exec -a ${mark} sleep 1000) & :` });
      const pid = await until("the program runs", () => processesWith(mark)[0]);
      const status = readFileSync(`/proc/${pid}/status`, "utf8");
      const field = (name: string) => new RegExp(`^${name}:\\s*(.*)$`, "m").exec(status)?.[1];
      for (const set of ["CapInh", "CapPrm", "CapEff", "CapBnd", "CapAmb"])
        assert.equal(field(set), "0".repeat(16), set);
      assert.deepEqual([field("NoNewPrivs"), field("Seccomp")], ["1", "2"]);
      assert.deepEqual(
        field("Groups")
          ?.trim()
          .split(" ")
          .filter((group) => group === "0"),
        [],
      );
      const uid = field("Uid")?.split("\t")[0] ?? "";
      assert.notEqual(uid, "0");
      uids.add(uid);
      for (const kind of ["user", "pid", "ipc", "uts", "net", "mnt", "cgroup"]) {
        const [inner, outer] = [pid, "self"].map((each) =>
          readlinkSync(`/proc/${each}/ns/${kind}`),
        );
        assert.notEqual(inner, outer, kind);
      }
    }
    if (isRoot) assert.equal(uids.size, 2, "each session has a uid of its own");
    else assert.deepEqual([...uids], [`${process.getuid?.()}`]);
  } finally {
    for (const sessionId of await provider.list()) await provider.destroy(sessionId);
    await provider.close();
  }
});

test("[SBX15] processor time is held where the probe says so", async (t) => {
  const provider = await openLinux({ ...world, directory: temporaryDirectory() });
  const { cpu } = (await provider.probe()).guarantees;
  try {
    if (cpu.level !== "enforced") return t.skip(cpu.reason);
    const throttled = async (cpus: number) => {
      const [sessionId, mark] = [`cpus${cpus * 10}`, word()];
      await provider.ensure({ sessionId, limits: { ...defaultLimits, cpus }, env: {} });
      const command = `(exec -a ${mark} sleep 1000) & for n in {1..50000}; do :; done`;
      await provider.exec(sessionId, { ...usual, command });
      const pid = await until("the program runs", () => processesWith(mark)[0]);
      const groups = readFileSync(`/proc/${pid}/cgroup`, "utf8");
      const stat = globSync(`/sys/fs/cgroup/**/*${sessionId}-*/cpu.stat`).find((path) =>
        groups.includes(path.split("/").at(-2) ?? ""),
      );
      const text = readFileSync(stat ?? "", "utf8");
      return Number(/^nr_throttled (\d+)$/m.exec(text)?.[1]);
    };
    assert.ok((await throttled(0.1)) > 0, "a tenth of a processor is not one");
    assert.equal(await throttled(8), 0, "one busy program does not need eight");
  } finally {
    for (const sessionId of await provider.list()) await provider.destroy(sessionId);
    await provider.close();
  }
});

test("[SBX33] one that was stopped starts again as it was asked for last", async () => {
  const provider = await openLinux({ ...world, directory: temporaryDirectory() });
  const ensure = (word: string) =>
    provider.ensure({ sessionId: "again", limits: defaultLimits, env: { WORD: word } });
  const say = async () =>
    (await provider.exec("again", { ...usual, command: "echo $WORD" })).output.toString();
  try {
    await ensure("one");
    assert.equal(await say(), "one\n");
    await ensure("two");
    assert.equal(await say(), "one\n", "it runs");
    await provider.stop("again");
    await ensure("three");
    assert.equal(await say(), "three\n");
    await provider.destroy("again");
  } finally {
    await provider.close();
  }
});

test("[SBX16] [SBX9] nothing is left of a killed server but the workspace", async () => {
  const [directory, mark] = [temporaryDirectory(), word()];
  const program = join(import.meta.dirname, "server.ts");
  const server = spawn(process.execPath, [program, directory, mark], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  await once(server.stdout, "data");
  await until("both programs run", () => processesWith(mark).length >= 2);
  const groupsOf = () =>
    globSync(`/sys/fs/cgroup/**/plinth-sandboxes/${server.pid}-*`, { exclude: ["**/unified/**"] });
  if (isRoot) assert.notEqual(groupsOf().length, 0);
  server.kill("SIGKILL");
  await once(server, "exit");
  await until("no process of it is left", () => processesWith(mark).length === 0);
  const loops = () =>
    globSync("/sys/block/loop*/loop/backing_file").filter((path) =>
      readIfThere(path).includes(directory),
    );
  await until("no loop device is left", () => loops().length === 0);
  assert.ok(!readFileSync("/proc/self/mountinfo", "utf8").includes(directory));

  const provider = await openLinux({ ...world, directory });
  try {
    assert.deepEqual(groupsOf(), []);
    assert.equal(existsSync(join(directory, `process-${server.pid}`)), false);
    const processes = readdirSync(directory).filter((name) => name.startsWith("process-"));
    assert.equal(processes.length, 1, "the new one's own");
    assert.deepEqual(await provider.list(), ["survivor"]);
    await provider.ensure({ sessionId: "survivor", limits: defaultLimits, env: {} });
    const { output } = await provider.exec("survivor", { ...usual, command: "cat file" });
    assert.equal(output.toString(), "kept\n");
    await provider.destroy("survivor");
    assert.deepEqual(readdirSync(join(directory, "owners")), []);
  } finally {
    await provider.close();
  }
  assert.deepEqual(readdirSync(directory).toSorted(), ["layers", "owners", "sessions"]);
  assert.deepEqual(readdirSync(join(directory, "layers")), []);
});

test("[SBX43] who starts a sandbox ends what another process has left running in its workspace", async () => {
  const directory = temporaryDirectory();
  const [first, second] = [
    await openLinux({ ...world, directory }),
    await openLinux({ ...world, directory }),
  ];
  const [sessionId, mark] = ["shared", word()];
  try {
    for (const provider of [first, second])
      await provider.ensure({ sessionId, limits: defaultLimits, env: {} });
    const busy = `(exec -a ${mark} bash -c 'while :; do echo line >>busy; sleep 0.01; done') & echo one >file; sync`;
    await first.exec(sessionId, { ...usual, command: busy });
    await until("it writes", () => processesWith(mark).length > 0);
    const { output } = await second.exec(sessionId, {
      ...usual,
      command: "cat file; echo two >other",
    });
    assert.equal(output.toString(), "one\n");
    assert.deepEqual(processesWith(mark), []);
    const back = await first.exec(sessionId, { ...usual, command: "cat file other" });
    assert.equal(back.isRestarted, true);
    assert.equal(back.output.toString(), "one\ntwo\n");
  } finally {
    await first.destroy(sessionId);
    await first.close();
    await second.close();
  }
});

test("[SBX43] a workspace that stops and starts again at once stays whole", async () => {
  const directory = temporaryDirectory();
  const [first, second] = [
    await openLinux({ ...world, directory }),
    await openLinux({ ...world, directory }),
  ];
  const rounds = 12;
  const writes = `(while :; do echo line >>busy; sleep 0.01; done) & for n in 1 2 3 4 5 6 7 8; do head -c 20000 /dev/urandom >f$n; done`;
  const runAll = async (sessionId: string) => {
    for (const provider of [first, second])
      await provider.ensure({ sessionId, limits: defaultLimits, env: {} });
    for (let round = 1; round <= rounds; round++) {
      // Every third by another process of the machine; what the same one has is stopped now and then.
      const provider = round % 3 === 2 ? second : first;
      const command = `${writes}; echo ${round} >n${round}; cat n* | sort -n | tail -n 1; cat n* | wc -l`;
      const { output } = await provider.exec(sessionId, { ...usual, command });
      assert.equal(output.toString(), `${round}\n${round}\n`);
      if (round % 3 === 0) await provider.stop(sessionId);
    }
    await first.destroy(sessionId);
  };
  try {
    await Promise.all(["one", "two", "three", "four"].map(runAll));
  } finally {
    await first.close();
    await second.close();
  }
});

test("[SBX1] a machine without means is refused with the reason and the mend", async () => {
  const rootfs = temporaryDirectory();
  const provider = await openLinux({ ...world, directory: temporaryDirectory(), rootfs });
  try {
    const probe = await provider.probe();
    assert.equal(probe.ok, false);
    assert.match(
      probe.reason,
      /^The sandbox could not be made: mount .*\/usr root\/usr: .*\((ENOENT|EACCES)\)/,
    );
    assert.ok(probe.mend);
    for (const { level } of Object.values(probe.guarantees)) assert.equal(level, "none");
    await assert.rejects(
      () => provider.ensure({ sessionId: "none", limits: defaultLimits, env: {} }),
      { name: "SandboxError", message: `${probe.reason} ${probe.mend}` },
    );
  } finally {
    await provider.close();
  }
});

test("[SBX16] what a server was trying out when it was killed is no session, and goes", async () => {
  const directory = temporaryDirectory();
  const first = await openLinux({ ...world, directory });
  await first.close();
  // 4194305: past the highest number that Linux gives a process.
  const abandoned = join(directory, "sessions", "process-4194305-00c0ffee-trial");
  mkdirSync(join(abandoned, "files"), { recursive: true });
  assert.deepEqual(await first.list(), []);
  const second = await openLinux({ ...world, directory });
  await second.close();
  assert.deepEqual(readdirSync(join(directory, "sessions")), []);
});

test("[SBX1] a descriptor that cannot be opened is a sandbox that could not be made", async () => {
  const directory = temporaryDirectory();
  const provider = await openLinux({ ...world, directory });
  try {
    await provider.ensure({ sessionId: "one", limits: defaultLimits, env: {} });
    const own = readdirSync(directory).find((name) => name.startsWith("process-")) ?? "";
    const runner = join(directory, own, "runner");
    for (const text of ["#!/bin/sh\nprintf r >&2; sleep 1\n", "#!/bin/sh\necho lost >&2\n"]) {
      writeFileSync(runner, text);
      await assert.rejects(() => provider.exec("one", { ...usual, command: "true" }), {
        name: "SandboxError",
        message: /^The sandbox could not be made: (ENOENT.*\/proc\/\d+\/fd\/|lost)/,
      });
    }
    rmSync(runner);
    await assert.rejects(() => provider.exec("one", { ...usual, command: "true" }), {
      name: "SandboxError",
      message: /^The sandbox could not be made: .*ENOENT/,
    });
  } finally {
    for (const sessionId of await provider.list()) await provider.destroy(sessionId);
    await provider.close();
  }
});
