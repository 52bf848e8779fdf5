// Sandboxes of the provider `docker` as the host and the daemon see them: rights, limits, and what is left of them.
import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import {
  chmodSync,
  existsSync,
  globSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  symlinkSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { suite, test } from "node:test";
import { systemClock } from "../../kernel/base/clock.ts";
import { systemRandom } from "../../kernel/base/random.ts";
import { openEngine } from "../../server/sandboxes/docker/engine/engine.ts";
import { isProcessOf } from "../../server/sandboxes/docker/listener.ts";
import {
  checkSandboxes,
  defaultLimits,
  openDocker,
  type SandboxLimits,
  type SandboxProvider,
} from "../../server/sandboxes/module.ts";
import { openProvider } from "../../server/sandboxes/open.ts";
import { until } from "../kernel/sql-harness.ts";
import { testTimeoutMs } from "../test-timeout.ts";
import { daemonFault, makeImage, testDaemon, testImage } from "./docker-daemon.ts";
import { asUser, ordinaryUser, temporaryDirectory, userFault } from "./machine.ts";

const mib = 1024 * 1024;
const world = { clock: systemClock, random: systemRandom };
const usual = { timeoutMs: testTimeoutMs, bytesMax: 10_000 };

async function openHere(directory = temporaryDirectory(), image = testImage) {
  const { socket } = await testDaemon();
  const provider = await openDocker({ ...world, directory, settings: { socket, image } });
  return { provider, directory, socket, engine: openEngine(socket, systemClock) };
}

/** What one line says in a sandbox of its own, which is destroyed then. */
async function sayIn(provider: SandboxProvider, limits: SandboxLimits, command: string) {
  const sessionId = `session_${systemRandom.bytes(6).toString("hex")}`;
  await provider.ensure({ sessionId, limits, env: {} });
  try {
    return (await provider.exec(sessionId, { ...usual, command })).output.toString();
  } finally {
    await provider.destroy(sessionId);
  }
}

/** What is asked for, what comes of it within narrow limits, and within wide ones. */
const tries = [
  ["memory", "head -c 150M /dev/zero | tail -n 1 | wc -c", /^0$/m, /^157286400$/m],
  ["processes", "for n in {1..30}; do sleep 5 & done; echo", /Resource temporarily/, /^\s*$/],
  ["disk", "head -c 20M /dev/zero >file; stat -c %s file", /No space|too large/, /^20971520$/m],
  ["cpu", "cat /sys/fs/cgroup/{cpu.max,cpu/cpu.cfs_quota_us}", /^50000\b/m, /^100000\b/m],
] as const;

suite("docker", { skip: daemonFault }, () => {
  test("[SBX90] an image that is not there is named with the way to it", async () => {
    const { provider, directory, socket } = await openHere(undefined, "plinth-none:7");
    const probe = await provider.probe();
    assert.equal(probe.ok, false);
    assert.equal(probe.reason, "The Docker daemon does not have the image plinth-none:7.");
    assert.equal(probe.mend, "docker pull plinth-none:7");
    const spec = { sessionId: "one", limits: defaultLimits, env: {} };
    await assert.rejects(provider.ensure(spec), { name: "SandboxError", message: /docker pull/ });
    await provider.close();
    const opening = { ...world, directory };
    await assert.rejects(openProvider(opening, { provider: "docker", rootfs: "/" }), {
      name: "SandboxError",
      message: /sandbox\.docker\.image/,
    });
    const docker = { socket, image: testImage };
    const sections = { sandbox: { provider: "docker", docker } };
    const [first, ...guarantees] = await checkSandboxes({ dataDir: directory, sections });
    assert.match(first?.found ?? "", /^Made by Docker \S+ \(runc\) from plinth-test:1/);
    assert.equal(guarantees.length, 7);
  });

  test("[SBX91] a process inside has no rights, seen from the host", async () => {
    const { provider, engine } = await openHere();
    const uids = new Set<string>();
    try {
      for (const sessionId of ["one", "two"]) {
        await provider.ensure({ sessionId, limits: defaultLimits, env: {} });
        const command = "find / -xdev -name 'docker*.sock'; ls /var/run; : >/usr/x; : >/etc/passwd";
        const { output } = await provider.exec(sessionId, { ...usual, command });
        assert.equal(output.toString().match(/Read-only file system/g)?.length, 2);
        assert.doesNotMatch(output.toString(), /docker/);
        const listed = await engine.list("plinth.sandbox");
        const { id = "" } =
          listed.find(({ labels }) => labels["plinth.sandbox"]?.endsWith(sessionId)) ?? {};
        const pid = await engine.pidOf(id);
        const status = readFileSync(`/proc/${pid}/status`, "utf8");
        const field = (name: string) => new RegExp(`^${name}:\\s*(.*)$`, "m").exec(status)?.[1];
        for (const set of ["CapInh", "CapPrm", "CapEff", "CapBnd", "CapAmb"])
          assert.equal(field(set), "0".repeat(16), set);
        assert.deepEqual([field("NoNewPrivs"), field("Seccomp")], ["1", "2"]);
        for (const kind of ["pid", "ipc", "uts", "net", "mnt"]) {
          const [inner, outer] = [pid, "self"].map((each) =>
            readlinkSync(`/proc/${each}/ns/${kind}`),
          );
          assert.notEqual(inner, outer, kind);
        }
        uids.add(field("Uid")?.split("\t")[0] ?? "0");
      }
      assert.ok(uids.size === 2 && !uids.has("0"), "each session has a uid of its own");
    } finally {
      for (const sessionId of await provider.list()) await provider.destroy(sessionId);
      await provider.close();
    }
  });

  test("[SBX92] limits hold, and the same is done where they are wide", async () => {
    const { provider } = await openHere();
    const small = { ...defaultLimits, memoryBytes: 64 * mib, processesMax: 20, cpus: 0.5 };
    const limits = { ...small, workspaceBytes: 16 * mib };
    const { guarantees } = await provider.probe();
    try {
      for (const [name, command, held, wide] of tries) {
        assert.equal(guarantees[name].level, "enforced", guarantees[name].reason);
        assert.match(await sayIn(provider, limits, command), held, name);
        assert.match(await sayIn(provider, defaultLimits, command), wide, name);
      }
    } finally {
      await provider.close();
    }
  });

  test("[SBX93] [SBX9] a killed server leaves no container, and then no mount", async (t) => {
    const { directory, socket, engine, provider: first } = await openHere();
    await first.close();
    const program = join(import.meta.dirname, "docker-server.ts");
    const server = spawn(process.execPath, [program, directory, socket], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    await once(server.stdout, "data");
    const containers = () => engine.list("plinth.sandbox");
    assert.equal((await containers()).length, 1);
    server.kill("SIGKILL");
    await once(server, "exit");
    const killedAt = performance.now();
    await until("no container is left", async () => (await containers()).length === 0);
    const tookMs = performance.now() - killedAt;
    t.diagnostic(`${Math.round(tookMs)} ms`);
    assert.ok(tookMs < 15_000, `${tookMs} ms`);
    const { provider } = await openHere(directory);
    try {
      const loops = globSync("/sys/block/loop*/loop/backing_file");
      assert.ok(!loops.some((path) => readFileSync(path, "utf8").includes(directory)));
      const processes = readdirSync(join(directory, "docker")).filter((name) =>
        name.startsWith("process-"),
      );
      assert.equal(processes.length, 1, "the new one's own");
      assert.deepEqual(await provider.list(), ["survivor"]);
      await provider.ensure({ sessionId: "survivor", limits: defaultLimits, env: {} });
      const { output } = await provider.exec("survivor", { ...usual, command: "cat file" });
      assert.equal(output.toString(), "kept\n");
      await provider.destroy("survivor");
    } finally {
      await provider.close();
    }
    assert.ok(!readFileSync("/proc/self/mountinfo", "utf8").includes(directory));
    assert.deepEqual(readdirSync(join(directory, "docker/owners")), []);
  });

  test("[SBX94] a server ends what a dead one left, and nothing of others", async () => {
    const { provider, directory, engine } = await openHere();
    const other = await openHere();
    try {
      for (const each of [provider, other.provider]) {
        await each.ensure({ sessionId: "one", limits: defaultLimits, env: {} });
        await each.exec("one", { ...usual, command: "kept=1" });
      }
      const id = readFileSync(join(directory, "docker/id"), "utf8");
      // 4194305: past the highest number that Linux gives a process.
      const make = (name: string, owner: string) =>
        engine.create(name, {
          Image: testImage,
          Cmd: ["/bin/bash"],
          Labels: { "plinth.directory": owner, "plinth.process": "process-4194305-00c0ffee" },
        });
      const left = await make("left", id);
      const foreign = await make("foreign", "another");
      await (await openHere(directory)).provider.close();
      const there = (await engine.list("plinth.directory")).map((each) => each.id);
      assert.deepEqual([there.includes(left), there.includes(foreign)], [false, true]);
      await engine.remove(foreign);
      for (const each of [provider, other.provider]) {
        const { output } = await each.exec("one", { ...usual, command: "echo $kept" });
        assert.equal(output.toString(), "1\n");
      }
    } finally {
      for (const each of [provider, other.provider]) {
        await each.destroy("one");
        await each.close();
      }
    }
  });

  test("[SBX43] [SBX94] who starts a sandbox ends what another process has in its workspace", async () => {
    const { provider: first, directory, engine } = await openHere();
    const { provider: second } = await openHere(directory);
    try {
      for (const each of [first, second])
        await each.ensure({ sessionId: "shared", limits: defaultLimits, env: {} });
      await first.exec("shared", { ...usual, command: "echo one >file; sleep 1000 & :" });
      const { output } = await second.exec("shared", {
        ...usual,
        command: "cat file; echo 2 >>file",
      });
      assert.equal(output.toString(), "one\n");
      assert.equal((await engine.list("plinth.sandbox")).length, 1);
      const back = await first.exec("shared", { ...usual, command: "cat file" });
      assert.deepEqual([back.isRestarted, back.output.toString()], [true, "one\n2\n"]);
    } finally {
      await first.destroy("shared");
      await first.close();
      await second.close();
    }
  });

  test("[SBX96] a daemon that comes later is used, and one that starts anew loses no file", async () => {
    const { restart, socket } = await testDaemon();
    const directory = temporaryDirectory();
    const link = join(directory, "docker.sock");
    let skippedMs = 0;
    const clock = {
      ...systemClock,
      monotonicMs: () => systemClock.monotonicMs() + skippedMs,
    };
    const settings = { socket: link, image: testImage };
    const provider = await openDocker({ ...world, clock, directory, settings });
    const spec = { sessionId: "one", limits: defaultLimits, env: {} };
    try {
      assert.match((await provider.probe()).reason, /docker\.sock does not exist\.$/);
      symlinkSync(socket, link);
      await assert.rejects(
        provider.ensure(spec),
        { name: "SandboxError" },
        "it was asked just now",
      );
      skippedMs += 5_000;
      await provider.ensure(spec);
      await provider.exec("one", { ...usual, command: "echo kept >file; cd /tmp" });
      await restart();
      const { output, isRestarted } = await provider.exec("one", {
        ...usual,
        command: "pwd; cat file",
      });
      assert.deepEqual([output.toString(), isRestarted], ["/workspace\nkept\n", true]);
    } finally {
      await provider.destroy("one");
      await provider.close();
    }
  });

  test("[SBX96] what runs in a container ends with a daemon that is killed, and files are there", async () => {
    const { provider, engine, directory } = await openHere();
    const { crash } = await testDaemon();
    try {
      await provider.ensure({ sessionId: "one", limits: defaultLimits, env: {} });
      await provider.exec("one", { ...usual, command: "true" });
      const own = readFileSync(join(directory, "docker/id"), "utf8");
      const [container] = await engine.list(`plinth.sandbox=${own}/one`);
      const id = container?.id ?? assert.fail("the sandbox has no container");
      const pid = await engine.pidOf(id);
      const running = provider.exec("one", { ...usual, command: "echo kept >file; sleep 1000" });
      const file = `/proc/${pid}/root/workspace/file`;
      await until("the call has begun", async () => existsSync(file));
      await crash(async () => {
        assert.deepEqual([(await running).code, (await running).isTimedOut], [137, false]);
        await until("its first program has ended", async () => !isProcessOf(pid, id));
      });
      const { output, isRestarted } = await provider.exec("one", { ...usual, command: "cat file" });
      assert.deepEqual([output.toString(), isRestarted], ["kept\n", true]);
    } finally {
      await provider.destroy("one");
      await provider.close();
    }
  });

  test(
    "[SBX97] an ordinary user's sandboxes have no network, and with one they are refused",
    { skip: userFault },
    async () => {
      const { socket } = await testDaemon();
      chmodSync(dirname(socket), 0o711);
      chmodSync(socket, 0o666);
      const program = join(import.meta.dirname, "docker-user.ts");
      const directory = temporaryDirectory(ordinaryUser);
      const words = asUser([process.execPath, program, directory, socket]);
      const { stdout, stderr } = spawnSync(...words, { encoding: "utf8", cwd: "/" });
      assert.notEqual(stdout, "", stderr);
      const said = JSON.parse(stdout.split("\n")[0] ?? "") as {
        refusal: string;
        reason: string;
        guarantees: Record<string, { level: string }>;
        output: string;
        left: string[];
      };
      assert.match(said.refusal, /^SandboxError: There is none at all, .*only root can listen/);
      assert.match(said.reason, /Sessions are refused: only root can listen inside/);
      const { network, disk, fs, memory } = said.guarantees;
      assert.deepEqual(
        [network, disk, fs, memory].map((guarantee) => guarantee?.level),
        ["best_effort", "best_effort", "best_effort", "enforced"],
      );
      assert.equal(said.output, `${ordinaryUser}\n/sys/class/net/lo\n`);
      assert.deepEqual(said.left, []);
    },
  );

  test("[SBX98] what an image says of itself does not hold, but for its environment", async () => {
    const own = await makeImage("plinth-test:own", [
      "USER root",
      "WORKDIR /usr",
      'ENTRYPOINT ["/bin/false"]',
      "VOLUME /data",
      "ENV OWN=image",
      "HEALTHCHECK --interval=1s CMD touch /workspace/healthy",
    ]);
    const { provider, engine } = await openHere(undefined, own);
    try {
      await provider.ensure({ sessionId: "one", limits: defaultLimits, env: {} });
      const say = async (command: string) =>
        (await provider.exec("one", { ...usual, command })).output.toString();
      assert.equal(await say('[ "$UID" != 0 ]; echo $? $PWD $OWN'), "0 /workspace image\n");
      assert.equal(await say("echo x >/data/file; stat -f -c %T /data; sleep 1.5; ls"), "tmpfs\n");
      const perl = "perl -MSocket -e 'print inet_ntoa(scalar gethostbyname(\"localhost\"))'";
      assert.equal(
        await say(`${perl}; cat /etc/resolv.conf; grep agent /etc/passwd | cut -d : -f 6`),
        "127.0.0.1# No names are resolved here.\n/home/agent\n",
      );
      await provider.stop("one");
      assert.equal(await say("ls /data"), "", "it is empty at each start");
      assert.equal((await engine.list("plinth.sandbox")).length, 1);
    } finally {
      await provider.destroy("one");
      await provider.close();
    }
  });
});
