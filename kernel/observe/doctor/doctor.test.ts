// Each check tells the good machine from the bad one.
import assert from "node:assert/strict";
import { chmod, mkdir, mkdtemp, readdir, rm, symlink, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import { Server, type AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { dirname } from "node:path";
import { test, type TestContext } from "node:test";
import { makeManualClock, systemClock } from "../../base/clock.ts";
import { checkDisk } from "./disk.ts";
import { checkSandbox } from "./sandbox.ts";
import {
  checkClock,
  checkMemory,
  checkNode,
  checkPort,
  checkProcessors,
  checkTimeZones,
  runChecks,
} from "./doctor.ts";

async function scratch(t: TestContext): Promise<string> {
  const directory = await mkdtemp(`${tmpdir()}/plinth-doctor-`);
  t.after(() => rm(directory, { recursive: true, force: true }));
  return directory;
}

test("[OBS9] [OBS10] all checks run here, quickly, leave nothing, and each bad one has a way out", async (t) => {
  const dataDir = await scratch(t);
  const startMs = performance.now();
  const checks = await runChecks({ dataDir, host: "127.0.0.1", port: 0, clock: systemClock });
  assert.ok(performance.now() - startMs < 10_000);
  assert.deepEqual(
    checks.map(({ name }) => name),
    (
      "node,processors,memory,data directory,disk space,disk speed,file system,clock,time zones," +
      "port,user namespaces,cgroups,seccomp,overlay,bubblewrap"
    ).split(","),
  );
  for (const { name, state, found, mend } of checks) {
    assert.ok(found.length > 0, name);
    assert.equal(mend === undefined, state === "ok", name);
  }
  assert.deepEqual(await readdir(dataDir), []);
});

test("versions, processors and memory have their thresholds", () => {
  const states = ["22.18.0", "24.6.9", "24.7.0", "26.0.0", "27.1.0"].map(
    (each) => checkNode(each).state,
  );
  assert.deepEqual(states, ["fail", "fail", "warn", "ok", "ok"]);
  assert.equal(checkProcessors(4, 0.5).state, "ok");
  assert.equal(checkProcessors(1, 0).state, "warn");
  assert.equal(checkProcessors(2, 4.1).state, "warn");
  const MiB = 1024 * 1024;
  const memory = (total: number, allowed: number) =>
    checkMemory({ total: total * MiB, free: 100 * MiB, allowed: allowed * MiB });
  assert.equal(memory(8_000, 0).state, "ok");
  assert.equal(memory(8_000, 1e12).state, "ok");
  assert.deepEqual([memory(8_000, 400).state, memory(8_000, 1_024).state], ["fail", "warn"]);
  assert.match(memory(8_000, 1_024).found, /^1024 MiB \(limited\)/);
});

test("a clock that jumps or lies in the past is noticed", async () => {
  const clock = makeManualClock(new Date("2026-06-01"));
  const watched = checkClock(clock);
  clock.advance(60);
  assert.equal((await watched).state, "ok");
  const jumping = checkClock(clock);
  clock.jumpTo(new Date("2026-06-02"));
  clock.advance(60);
  assert.match((await jumping).found, /jumped by 863999/);
  const old = makeManualClock(new Date("1970-01-01"));
  const late = checkClock(old);
  old.advance(60);
  assert.equal((await late).state, "fail");
  assert.equal(checkTimeZones().state, "ok");
});

test("a port is free, or taken by another Plinth or another program", async (t) => {
  const listen = async (headers: Record<string, string>, body: string) => {
    const server = createServer((_, reply) => reply.writeHead(200, headers).end(body));
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    t.after(() => server.close());
    return (server.address() as AddressInfo).port;
  };
  const state = async (port: number) => {
    const { state, found } = await checkPort("127.0.0.1", port);
    return [state, found.replace(String(port), "N")];
  };
  const ours = ["fail", "127.0.0.1:N is answered by a Plinth with another data directory"];
  assert.deepEqual(await state(await listen({ server: "plinth" }, "")), ours);
  assert.deepEqual(await state(await listen({}, '{"service":"plinth"}')), ours);
  const taken = ["fail", "127.0.0.1:N is taken by another program"];
  assert.deepEqual(await state(await listen({ server: "nginx" }, "hi")), taken);
  assert.equal((await checkPort("127.0.0.1", 0)).state, "ok");
  assert.equal((await checkPort("192.0.2.1", 8787)).state, "fail");
});

test("[OBS10] a port is never listened at to find out whether it is free", async (t) => {
  const free = createServer();
  await new Promise<void>((resolve) => free.listen(0, "127.0.0.1", resolve));
  const { port } = free.address() as AddressInfo;
  await new Promise<void>((resolve) => void free.close(() => resolve()));
  const listen = t.mock.method(Server.prototype, "listen");
  assert.equal((await checkPort("127.0.0.1", port)).state, "ok");
  const ports = listen.mock.calls.map(({ arguments: [where] }) => Object(where).port);
  assert.ok(!ports.includes(port), "a client that comes just then would be cut off");
});

test("[OBS10] a data directory that is a file, or cannot be made, is told", async (t) => {
  const directory = await scratch(t);
  const missing = await checkDisk(`${directory}/a/b`, systemClock);
  assert.match(missing[0]?.found ?? "", /a\/b can be made$/);
  assert.equal(missing[0]?.state, "ok");
  assert.deepEqual(await readdir(directory), []);
  await writeFile(`${directory}/file`, "");
  const inFile = await checkDisk(`${directory}/file`, systemClock);
  assert.deepEqual(
    inFile.map(({ name }) => name),
    ["data directory", "disk space", "disk speed", "file system"],
    "what cannot be tried is said",
  );
  assert.equal(inFile[0]?.state, "fail");
  const unwritable = await checkDisk("/proc/nowhere", systemClock);
  assert.equal(unwritable[0]?.state, "fail");
});

test("the kernel's files decide about sandboxes", async (t) => {
  const root = await scratch(t);
  const put = async (path: string, text: string) => {
    await mkdir(dirname(`${root}/${path}`), { recursive: true });
    await writeFile(`${root}/${path}`, text);
  };
  const program = async (name: string, script: string) => {
    await put(`bin/${name}`, `#!/bin/sh\n${script}\n`);
    await chmod(`${root}/bin/${name}`, 0o755);
  };
  const states = async () =>
    Object.fromEntries(
      (await checkSandbox({ root, path: `${root}/bin` })).map(({ name, state, found }) => [
        name,
        `${state}: ${found}`,
      ]),
    );
  const names = ["user namespaces", "cgroups", "seccomp", "overlay", "bubblewrap"];
  const bare = await states();
  assert.deepEqual(Object.keys(bare), names);
  for (const name of names) assert.match(bare[name] ?? "", /^warn/);

  await put("proc/sys/user/max_user_namespaces", "1000\n");
  await put("sys/fs/cgroup/cgroup.controllers", "cpuset cpu io memory pids\n");
  await put("proc/sys/kernel/seccomp/actions_avail", "kill_process trap errno allow\n");
  await put("proc/filesystems", "nodev\tproc\nnodev\toverlay\n");
  await program("unshare", "exit 0");
  await symlink("/bin/true", `${root}/bin/bwrap`);
  const good = await states();
  for (const name of names) assert.match(good[name] ?? "", /^ok/, name);

  await program("unshare", "echo 'unshare failed: Operation not permitted' >&2; exit 1");
  await put("sys/fs/cgroup/cgroup.controllers", "cpu memory\n");
  const poor = await states();
  assert.equal(poor["user namespaces"], "warn: Refused: unshare failed: Operation not permitted");
  assert.equal(poor["cgroups"], "warn: Version 2 without pids");
  await put("proc/sys/kernel/unprivileged_userns_clone", "0\n");
  assert.equal((await states())["user namespaces"], "warn: Only for root");
  await put("proc/sys/user/max_user_namespaces", "0\n");
  assert.equal((await states())["user namespaces"], "warn: Switched off");
});
