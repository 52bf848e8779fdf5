// What every provider of sandboxes keeps, whatever it is made of.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import type { Socket } from "node:net";
import { after, before, suite, test } from "node:test";
import { systemRandom } from "../../kernel/base/random.ts";
import {
  defaultLimits,
  guaranteeNames,
  type SandboxProvider,
} from "../../server/sandboxes/module.ts";
import { sandboxLimits } from "../../server/sandboxes/limits.ts";
import type { ExecRequest, SandboxNetwork } from "../../server/sandboxes/provider.ts";
import { testTimeoutMs } from "../test-timeout.ts";
import { asUser, isRoot, temporaryDirectory, userFault } from "./machine.ts";
import { type Need, type ProviderHere, providersHere } from "./providers.ts";

const usual = { timeoutMs: testTimeoutMs, bytesMax: 1_000_000 };

type Call = ReturnType<typeof callIn>;

const callIn =
  (provider: SandboxProvider, sessionId: string) =>
  async (command: ExecRequest["command"], more: Partial<ExecRequest> = {}) => {
    const { output, errors, ...rest } = await provider.exec(sessionId, {
      ...usual,
      command,
      ...more,
    });
    return { ...rest, raw: output, output: output.toString(), errors: errors.toString() };
  };

const pick = ({ code, output, errors }: Awaited<ReturnType<Call>>) => ({ code, output, errors });

for (const here of providersHere)
  suite(here.what, () => {
    const directory = temporaryDirectory();
    testProvider(here, () => here.open(directory));
  });

if (isRoot)
  test("[SBX17] all of this as an ordinary user", { skip: userFault }, () => {
    const env = Object.fromEntries(
      Object.entries(process.env).filter(([name]) => name !== "NODE_TEST_CONTEXT"),
    );
    const [program, args] = asUser([process.execPath, "--test", import.meta.filename]);
    const { status, stdout } = spawnSync(program, args, {
      env,
      encoding: "utf8",
      cwd: "/",
      timeout: 4 * testTimeoutMs,
    });
    assert.equal(status, 0, stdout);
    assert.match(stdout, /\[SBX6\] a call that takes too long.*as an ordinary user/);
  });

function testProvider({ what, lacks }: ProviderHere, open: () => Promise<SandboxProvider>): void {
  let provider: SandboxProvider;
  before(async () => {
    provider = await open();
  });
  after(() => provider.close());

  /** A sandbox of its own, destroyed when the test is over. */
  const withSandbox = (
    name: string,
    run: (call: Call, sessionId: string) => Promise<void>,
    need?: Need,
  ) =>
    void test(`${name}, ${what}`, { skip: need && lacks[need] }, async () => {
      const sessionId = `session_${systemRandom.bytes(6).toString("hex")}`;
      await provider.ensure({ sessionId, limits: defaultLimits, env: { GIVEN: "a 'value'" } });
      try {
        await run(callIn(provider, sessionId), sessionId);
      } finally {
        await provider.destroy(sessionId);
      }
    });

  test(`[SBX1] the probe names each guarantee, ${what}`, async () => {
    const probe = await provider.probe();
    assert.equal(probe.ok, true, probe.reason);
    assert.deepEqual(Object.keys(probe.guarantees), [...guaranteeNames]);
    for (const { level, reason, mend } of Object.values(probe.guarantees)) {
      assert.match(reason, /^[A-Z].*\.$/);
      assert.equal(mend === undefined, level === "enforced", reason);
    }
  });

  withSandbox("[SBX2] the shell keeps directory, variables and functions", async (call) => {
    await call("mkdir -p /tmp/a && cd /tmp/a; declare -A map=([key]=kept); say() { echo said; }");
    await call("export OVER=there; break; continue; :");
    const { output } = await call('pwd; echo ${map[key]} $OVER "$GIVEN"; say');
    assert.equal(output, "/tmp/a\nkept there a 'value'\nsaid\n");
  });

  withSandbox(
    "[SBX2] programs in the background go on",
    async (call) => {
      await call("sleep 1000 & break; continue; :");
      assert.equal((await call("jobs -r | wc -l")).output, "1\n");
    },
    "jobs",
  );

  withSandbox("[SBX2] a program with arguments changes nothing in the shell", async (call) => {
    await call("printf() { echo shadowed; }; cd /tmp");
    const words = ["printf", "%s|", "a b", "c'd", "", "$HOME", "*", "-n", "é\n"];
    assert.equal((await call(words)).output, "a b|c'd||$HOME|*|-n|é\n|");
    assert.equal((await call(["bash", "-c", "cd /; exit 7"])).code, 7);
    assert.equal((await call(["no-such-program"])).code, 127);
    assert.equal((await call("pwd")).output, "/tmp\n");
  });

  const linesOf = (word: string) => Array.from({ length: 200 }, (_, n) => `${word} ${n + 1}\n`);
  const bothStreams =
    "for n in {1..200}; do echo out $n; echo err $n >&2; done; exit_code() { return 5; }; exit_code";

  withSandbox(
    "[SBX3] errors come in the order of writing",
    async (call) => {
      const output = linesOf("out")
        .map((line, n) => line + (linesOf("err")[n] ?? ""))
        .join("");
      assert.deepEqual(pick(await call(bothStreams)), { code: 5, output, errors: "" });
    },
    "order",
  );

  withSandbox("[SBX3] errors come with the output, or apart", async (call) => {
    const [output, errors] = [linesOf("out").join(""), linesOf("err").join("")];
    const both = await call(bothStreams);
    assert.deepEqual(
      [both.code, both.errors, both.output.length],
      [5, "", output.length + errors.length],
    );
    const apart = pick(await call(bothStreams, { isErrorApart: true }));
    assert.deepEqual(apart, { code: 5, output, errors });
  });

  withSandbox("[SBX3] standard input arrives byte for byte, and ends", async (call) => {
    const bytes = Buffer.concat([systemRandom.bytes(200_000), Buffer.from("\0'\n\0")]);
    const { output } = await call("base64 -w 0", { stdin: bytes });
    assert.ok(Buffer.from(output, "base64").equals(bytes));
    assert.equal((await call("wc -c", { stdin: Buffer.alloc(0) })).output, "0\n");
    assert.equal((await call("wc -c")).output, "0\n", "without any it is empty");
    await call("true", { stdin: Buffer.alloc(300_000) });
    assert.equal((await call("echo in step")).output, "in step\n", "what was not read is gone");
  });

  withSandbox("[SBX3] names that are read are UTF-8", async (call) => {
    const stdin = Buffer.from("é b\nü\0c\n");
    await call('read -r one; IFS= read -r -d "" two; echo "$two" >"$one"', { stdin });
    assert.equal((await call("ls; cat *")).output, "é b\nü\n");
  });

  withSandbox(
    "[SBX3] output arrives byte for byte",
    async (call) => {
      const bytes = systemRandom.bytes(200_000);
      assert.ok((await call("cat", { stdin: bytes })).raw.equals(bytes));
    },
    "bytes",
  );

  withSandbox("[SBX4] last bytes are not lost, with or without an end of line", async (call) => {
    const { raw } = await call("head -c 700000 /dev/zero; printf end");
    assert.equal(raw.length, 700_003);
    assert.equal(raw.subarray(-3).toString(), "end");
    for (let n = 0; n < 30; n++)
      assert.deepEqual(pick(await call(`printf ${n}; (exit ${n})`)), {
        code: n,
        output: `${n}`,
        errors: "",
      });
  });

  withSandbox("[SBX4] what a program writes does not end its call", async (call) => {
    const forged = `printf '\\000%s 0\\000' ${"0123456789abcdef".repeat(2)}`;
    const { code, output } = await call(`${forged}; ${forged}; echo after; (exit 9)`);
    assert.equal(code, 9);
    assert.ok(output.endsWith(" 0\0after\n"), JSON.stringify(output));
    assert.equal(output.length, 2 * (1 + 32 + 3) + 6);
  });

  withSandbox("[SBX4] what a call does to its descriptors is undone", async (call) => {
    await call("exec >/dev/null 2>&1 </dev/zero 3>&- 4>&-");
    assert.deepEqual(pick(await call("echo out; echo err >&2; cat")), {
      code: 0,
      output: "out\nerr\n",
      errors: "",
    });
    assert.equal((await call("echo a >/dev/stdout; echo b >/dev/stderr")).output, "a\nb\n");
  });

  withSandbox(
    "[SBX4] a program has the descriptors of its call alone",
    async (call) => {
      const { output } = await call("ls /proc/self/fd");
      assert.equal(output, "0\n1\n2\n3\n", "the last is the folder");
    },
    "processes",
  );

  withSandbox("[SBX5] the first bytes are kept", async (call) => {
    const cut = await call("printf 12345; head -c 5000000 /dev/zero", { bytesMax: 6 });
    assert.deepEqual([cut.output, cut.isTruncated, cut.code], ["12345\0", true, 0]);
    const whole = await call("printf 12345678", { bytesMax: 8 });
    assert.deepEqual([whole.output, whole.isTruncated], ["12345678", false]);
  });

  withSandbox(
    "[SBX5] both streams share the allowance",
    async (call) => {
      const command = "printf 12345; printf abcde >&2; head -c 5000000 /dev/zero";
      const cut = await call(command, { bytesMax: 8 });
      assert.deepEqual([cut.output, cut.isTruncated, cut.code], ["12345abc", true, 0]);
    },
    "order",
  );

  for (const [how, limit] of [
    ["takes too long", () => ({ timeoutMs: 300 })],
    ["is aborted", () => ({ signal: AbortSignal.timeout(300) })],
  ] as const) {
    withSandbox(`[SBX6] a call that ${how} ends, and the next finds a new shell`, async (call) => {
      await call("echo kept >file; cd /tmp; gone=1");
      const ended = await call("sleep 1000", limit());
      assert.deepEqual(
        [ended.code, ended.isTimedOut, ended.isAborted, ended.isRestarted],
        [null, how === "takes too long", how === "is aborted", false],
      );
      const next = await call("pwd; cat file; echo $gone");
      assert.deepEqual([next.output, next.isRestarted], ["/workspace\nkept\n\n", true]);
      assert.equal((await call("true")).isRestarted, false);
    });

    withSandbox(
      `[SBX6] a call that ${how} ends all processes`,
      async (call) => {
        await call(
          "echo kept >file; cd /tmp; setsid nohup bash -c 'trap \"\" 1 2 15; while :; do sleep 1; done' &",
        );
        const ended = await call("(trap '' 15; sleep 1000) & echo begun; sleep 1000", limit());
        assert.deepEqual(
          [ended.code, ended.output, ended.isTimedOut, ended.isAborted, ended.isRestarted],
          [null, "begun\n", how === "takes too long", how === "is aborted", false],
        );
        const next = await call("pwd; cat file; echo /proc/[0-9]*");
        assert.equal(next.isRestarted, true);
        assert.match(next.output, /^\/workspace\nkept\n\/proc\/1( \/proc\/\d+)?\n$/);
        assert.equal((await call("true")).isRestarted, false);
      },
      "jobs",
    );
  }

  withSandbox("[SBX7] a call may end the shell", async (call) => {
    assert.deepEqual(pick(await call("printf last; exit 3")), {
      code: 3,
      output: "last",
      errors: "",
    });
    const next = await call("echo new");
    assert.deepEqual([next.output, next.isRestarted], ["new\n", true]);
    await call("set -e");
    assert.equal((await call("false; echo not reached")).output, "");
    assert.equal((await call("true")).isRestarted, true);
  });

  withSandbox("[SBX8] calls run in the order in which they came", async (call) => {
    const calls = Array.from({ length: 20 }, (_, n) => call(`echo ${n} >>order; tail -n 1 order`));
    const outputs = (await Promise.all(calls)).map(({ output }) => output);
    assert.deepEqual(
      outputs,
      outputs.map((_, n) => `${n}\n`),
    );
  });

  withSandbox("[SBX8] sandboxes do not wait for each other", async (call, sessionId) => {
    const other = `${sessionId}_other`;
    await provider.ensure({ sessionId: other, limits: defaultLimits, env: {} });
    try {
      const abort = new AbortController();
      const slow = call("sleep 1000", { signal: abort.signal });
      assert.equal((await callIn(provider, other)("echo quick")).output, "quick\n");
      abort.abort();
      assert.equal((await slow).isAborted, true);
    } finally {
      await provider.destroy(other);
    }
  });

  withSandbox(
    "[SBX9] the workspace stays until the sandbox is destroyed",
    async (call, sessionId) => {
      await call("echo kept >file; chmod 0 file; mkdir -p a/b; chmod 0 a");
      await provider.stop(sessionId);
      const { output, isRestarted } = await call("ls");
      assert.equal(output, "a\nfile\n");
      assert.equal(isRestarted, false, "it was told to stop");
      assert.ok((await provider.list()).includes(sessionId));
      await provider.destroy(sessionId);
      assert.ok(!(await provider.list()).includes(sessionId));
      await assert.rejects(() => call("true"), { name: "SandboxError" });
      await provider.ensure({ sessionId, limits: defaultLimits, env: {} });
      assert.equal((await call("find . -name file")).output, "");
    },
  );

  withSandbox(
    "[SBX9] a sandbox that stops ends what is in the background",
    async (call, sessionId) => {
      await call("sleep 1000 &");
      await provider.stop(sessionId);
      assert.match((await call("echo /proc/[0-9]*")).output, /^\/proc\/1( \/proc\/\d+)?\n$/);
    },
    "jobs",
  );

  test(
    `[SBX22] a network is a listener on the sandbox's own loopback, ${what}`,
    { skip: lacks.network },
    async () => {
      const { network: guarantee } = (await provider.probe()).guarantees;
      assert.equal(guarantee.level, "enforced", guarantee.reason);
      const sessionId = `session_${systemRandom.bytes(6).toString("hex")}`;
      const opened = new Set<Socket>();
      let ends = 0;
      const network: SandboxNetwork = {
        connect: (socket) => {
          opened.add(socket);
          socket.write("from the server\n");
          socket.on("data", (bytes) => socket.end(`got ${bytes.toString()}`));
        },
        endAll: () => void ends++,
      };
      await provider.ensure({ sessionId, limits: defaultLimits, env: {}, network });
      const call = callIn(provider, sessionId);
      try {
        const address = (await call("echo ${HTTPS_PROXY#http://}")).output.trim();
        const open = `exec 9<>/dev/tcp/${address.replace(":", "/")}`;
        const talk = await call(
          `${open}; read -r first <&9; echo "$first"; echo hello >&9; cat <&9`,
        );
        assert.equal(talk.output, "from the server\ngot hello\n");
        const takes = async (place: string) =>
          (
            await call(`perl -MIO::Socket::INET -e 'print IO::Socket::INET->new(Listen => 1,
          ReuseAddr => 1, LocalAddr => "${place}") ? "taken" : "refused"'`)
          ).output;
        const both = [await takes(address), await takes("127.0.0.1:8080")];
        assert.deepEqual(both, ["refused", "taken"], "nobody inside takes its place");
        await call(`${open}; read -r first <&9`);
        await provider.stop(sessionId);
        assert.deepEqual(
          [...opened].map(({ destroyed }) => destroyed),
          [true, true],
        );
        assert.equal(ends, 1);
        const again = await call(`${open}; read -r first <&9; echo "$first"`);
        assert.equal(again.output, "from the server\n", "a new shell has one, too");
      } finally {
        await provider.destroy(sessionId);
      }
    },
  );

  withSandbox(
    "[SBX14] without a network nothing listens there",
    async (call) => {
      const { output } = await call("env | grep -ci proxy; : </dev/tcp/127.0.0.1/3128");
      assert.match(output, /^0\n.*Connection refused/);
    },
    "network",
  );

  withSandbox("[SBX10] what cannot be run is refused", async (call) => {
    const refused = (command: ExecRequest["command"], more = {}) =>
      assert.rejects(() => call(command, more), { name: "SandboxError" });
    await refused("a\0b");
    await refused([]);
    await refused(":".repeat(sandboxLimits.commandBytesMax + 1));
    await refused("cat", { stdin: Buffer.alloc(sandboxLimits.stdinBytesMax + 1) });
    const long = `: ${"x".repeat(sandboxLimits.commandBytesMax - 7)}\necho`;
    assert.equal((await call(long)).output, "\n", "as long as it may be");
    for (const sessionId of ["", "..", "a/b", "a b", "x".repeat(129)])
      await assert.rejects(() => provider.ensure({ sessionId, limits: defaultLimits, env: {} }), {
        name: "SandboxError",
      });
  });
}
