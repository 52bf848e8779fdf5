// What runs in a sandbox beside a call, in every way in which sandboxes can be had here.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { after, before, suite, test } from "node:test";
import { systemRandom } from "../../kernel/base/random.ts";
import { defaultLimits, type SandboxProvider } from "../../server/sandboxes/module.ts";
import { testTimeoutMs } from "../test-timeout.ts";
import { asUser, isRoot, temporaryDirectory, userFault } from "./machine.ts";
import { providersHere } from "./providers.ts";

if (isRoot)
  test("[SBX80] second shells of an ordinary user's sandboxes", { skip: userFault }, () => {
    const env = Object.fromEntries(
      Object.entries(process.env).filter(([name]) => name !== "NODE_TEST_CONTEXT"),
    );
    const [program, args] = asUser([process.execPath, "--test", import.meta.filename]);
    const options = { env, encoding: "utf8", cwd: "/", timeout: 4 * testTimeoutMs } as const;
    const { status, stdout } = spawnSync(program, args, options);
    assert.equal(status, 0, stdout);
    assert.match(stdout, /\[SBX80\] what runs beside.*as an ordinary user/);
  });

for (const { what, lacks, open } of providersHere)
  suite(what, { skip: lacks.beside }, () => {
    const directory = temporaryDirectory();
    testBeside(what, () => open(directory));
  });

interface Opened {
  provider: SandboxProvider;
  sessionId: string;
  say: (line: string) => Promise<string>;
  beside: (line: string, stdin?: string, timeoutMs?: number) => Promise<string>;
}

function testBeside(what: string, open: () => Promise<SandboxProvider>): void {
  let provider: SandboxProvider;
  before(async () => {
    provider = await open();
  });
  after(() => provider.close());

  const withShells = (name: string, run: (opened: Opened) => Promise<void>) =>
    void test(`${name}, ${what}`, async () => {
      const sessionId = `session_${systemRandom.bytes(6).toString("hex")}`;
      const spec = { sessionId, limits: defaultLimits, env: {}, hasSecondShell: true };
      await provider.ensure(spec);
      const usual = { timeoutMs: testTimeoutMs, bytesMax: 1_000_000 };
      const say = async (command: string) =>
        (await provider.exec(sessionId, { ...usual, command })).output.toString();
      const beside: Opened["beside"] = async (line, stdin, timeoutMs = testTimeoutMs) => {
        const request = { ...usual, timeoutMs, command: ["/bin/bash", "-c", line] };
        const given = { ...request, isBeside: true, ...(stdin && { stdin: Buffer.from(stdin) }) };
        const { code, output } = await provider.exec(sessionId, given);
        return code === 0 ? output.toString() : code === null ? "did not end" : "ended";
      };
      try {
        await run({ provider, sessionId, say, beside });
      } finally {
        await provider.destroy(sessionId);
      }
    });

  withShells("[SBX45] what a call writes is heard as it is written", async (opened) => {
    const { provider, sessionId, say, beside } = opened;
    await say("mkfifo /tmp/on");
    const heard = {
      output: Promise.withResolvers<string>(),
      errors: Promise.withResolvers<string>(),
    };
    const running = provider.exec(sessionId, {
      command: "printf '\\0out'; printf errors >&2; cat /tmp/on",
      timeoutMs: testTimeoutMs,
      bytesMax: 100,
      isErrorApart: true,
      onOutput: (bytes) => heard.output.resolve(bytes.toString()),
      onErrors: (bytes) => heard.errors.resolve(bytes.toString()),
    });
    const first = await Promise.all([heard.output.promise, heard.errors.promise]);
    assert.deepEqual(first, ["\0out", "errors"]);
    await beside("echo on >/tmp/on");
    assert.equal((await running).output.toString(), "\0outon\n");
  });

  withShells("[SBX80] what runs beside a call reads and writes its files", async (opened) => {
    const { say, beside } = opened;
    await say("echo before >file");
    const waiting = say("until [ -e there ]; do sleep 0.05; done; cat there");
    assert.equal(await beside("cat file; cat", "what is given"), "before\nwhat is given");
    await beside("printf seen >there");
    assert.equal(await waiting, "seen");
    const [first, second] = [
      say("cat </dev/zero | head -c 200000"),
      beside("head -c 300000 </dev/zero"),
    ];
    assert.deepEqual([(await first).length, (await second).length], [200_000, 300_000]);
  });

  withShells("[SBX80] calls of the agent know nothing of it", async ({ say, beside }) => {
    await say("x=1; cd /tmp");
    assert.equal(await beside("echo ${x-none} $PWD"), "none /workspace\n");
    assert.equal(await say("jobs; wait; wait -n; echo $? $x $PWD"), "127 1 /tmp\n");
    assert.equal(await say("ls /proc/self/fd | tr '\\n' ' '"), "0 1 2 3 ", "3 is the folder's");
    assert.equal(await beside("ls /proc/self/fd | tr '\\n' ' '"), "0 1 2 3 ");
  });

  withShells("[SBX80] where it cannot run it is refused, and calls go on", async (opened) => {
    const { provider, say, beside } = opened;
    await assert.rejects(beside("true"), { name: "SandboxError" }, "nothing runs yet");
    const waiting = say("kill -9 -1; sleep 0.3; echo alive");
    assert.equal(await waiting, "alive\n");
    await assert.rejects(beside("true"), { name: "SandboxError" }, "the shell is gone");
    assert.equal(await say("echo on"), "on\n");
    await provider.stop(opened.sessionId);
    await assert.rejects(beside("true"), { name: "SandboxError" }, "the sandbox is stopped");
    assert.equal(await say("echo again"), "again\n");
    assert.equal(await beside("echo too"), "too\n");
  });

  withShells("[SBX80] what does not end in time leaves calls alone", async ({ say, beside }) => {
    await say("x=1");
    assert.equal(await beside("sleep 60", undefined, 50), "did not end");
    await assert.rejects(beside("true"), { name: "SandboxError" });
    assert.equal(await say("echo $x"), "1\n");
  });

  withShells("[SBX80] it ends with the sandbox", async ({ provider, sessionId, say, beside }) => {
    await say("true");
    const waiting = beside("sleep 60");
    const request = { command: "sleep 60", timeoutMs: 50, bytesMax: 0 };
    assert.equal((await provider.exec(sessionId, request)).isTimedOut, true);
    assert.equal(await waiting, "ended");
  });
}
