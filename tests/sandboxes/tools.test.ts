// What the built-in tools do in a sandbox, whatever provider it is of.
import assert from "node:assert/strict";
import { after, before, suite, test } from "node:test";
import { systemRandom } from "../../kernel/base/random.ts";
import { defaultLimits, runTool, type SandboxProvider } from "../../server/sandboxes/module.ts";
import { testTimeoutMs } from "../test-timeout.ts";
import { temporaryDirectory } from "./machine.ts";
import { type Need, type ProviderHere, providersHere } from "./providers.ts";

const png = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
  "base64",
);

for (const { what, lacks, open } of providersHere)
  suite(what, () => {
    const directory = temporaryDirectory();
    let provider: SandboxProvider;
    before(async () => {
      provider = await open(directory);
    });
    after(() => provider.close());
    testTools({ what, lacks }, () => provider);
  });

function testTools(
  { what, lacks }: Pick<ProviderHere, "what" | "lacks">,
  providerOf: () => SandboxProvider,
): void {
  const withTools = (
    name: string,
    act: (
      call: ReturnType<typeof callerOf>,
      provider: SandboxProvider,
      id: string,
    ) => Promise<void>,
    need?: Need,
  ) =>
    void test(`${name}, ${what}`, { skip: need && lacks[need] }, async () => {
      const provider = providerOf();
      const sessionId = `session_${systemRandom.bytes(6).toString("hex")}`;
      await provider.ensure({ sessionId, limits: defaultLimits, env: {} });
      try {
        await act(callerOf(provider, sessionId), provider, sessionId);
      } finally {
        await provider.destroy(sessionId);
      }
    });

  withTools(
    "[SBX19] bash keeps directory and variables, and says how a command ended",
    async (call) => {
      assert.equal(await call("bash", { command: "cd /tmp; export A=1; echo there" }), "there");
      assert.equal(await call("bash", { command: "pwd; echo $A" }), "/tmp\n1");
      assert.equal(
        await call("bash", { command: "echo so; exit_with() { return 3; }; exit_with" }),
        "! so\n[exit status 3]",
      );
      assert.match(
        await call("bash", { command: "sleep 100", timeout_ms: 200 }),
        /^! \[It was ended after 200 ms/,
      );
      assert.match(
        await call("bash", { command: "pwd; echo $A" }),
        /^\/workspace\n\n?\[The shell of the call before has ended/,
      );
      assert.equal(await call("bash", { restart: true }), "There is a new shell.");
      assert.equal(await call("bash", { restart: true, command: "pwd" }), "/workspace");
      assert.equal(await call("bash", {}), "! bash: command: is missing.");
      assert.match(
        await call("bash", { command: "pwd", timeout_ms: 0 }),
        /^! bash: timeout_ms: must be a whole/,
      );
    },
  );

  withTools("[SBX19] what is written beyond the bound is cut in its middle", async (call) => {
    const text = await call("bash", {
      command: "echo first; head -c 3000000 /dev/zero | tr '\\0' x; echo; echo last",
    });
    assert.match(text, /^first\nx+\n\[\d+ characters are left out here\]\nx+\nlast$/);
    assert.ok(text.length < 110_000);
    const controls = await call("bash", { command: "head -c 90000 /dev/zero | tr '\\0' '\\001'" });
    assert.ok(Buffer.byteLength(JSON.stringify(controls)) < 1_000_000);
  });

  withTools(
    "[SBX20] a file is written whole, read by lines, and edited where it is meant",
    async (call) => {
      assert.equal(
        await call("write", { file_path: "a/b c.txt", content: "one\ntwo\n" }),
        "Wrote 8 bytes to a/b c.txt.",
      );
      assert.equal(await call("read", { file_path: "/workspace/a/b c.txt" }), "one\ntwo\n");
      assert.equal(await call("read", { file_path: "a/b c.txt", view_range: [2, 2] }), "two");
      assert.equal(await call("read", { file_path: "a/b c.txt", view_range: [1, -1] }), "one\ntwo");
      assert.equal(
        await call("edit", { file_path: "a/b c.txt", old_string: "o", new_string: "$&" }),
        "! edit: old_string: stands 2 times in a/b c.txt; give more of what is around it, or set replace_all.",
      );
      assert.equal(
        await call("edit", {
          file_path: "a/b c.txt",
          old_string: "o",
          new_string: "$&",
          replace_all: true,
        }),
        "Edited a/b c.txt: 2 places.",
      );
      assert.equal(await call("read", { file_path: "a/b c.txt" }), "$&ne\ntw$&\n");
      assert.match(
        await call("edit", { file_path: "a/b c.txt", old_string: "three", new_string: "" }),
        /does not stand in/,
      );
      await call("bash", { command: "chmod 700 a/*" });
      await call("write", { file_path: "a/b c.txt", content: "new" });
      assert.equal(
        await call("bash", { command: "stat -c %a 'a/b c.txt'; cat a/*; ls -A a | wc -l" }),
        "700\nnew1",
      );
    },
  );

  withTools(
    "[SBX20] a link is followed",
    async (call) => {
      await call("bash", { command: "mkdir a; echo old >'a/b c.txt'; ln -s 'b c.txt' a/link" });
      await call("write", { file_path: "a/link", content: "new" });
      assert.equal(
        await call("bash", { command: "readlink a/link; cat a/link; ls -A a | wc -l" }),
        "b c.txt\nnew2",
      );
    },
    "links",
  );

  withTools(
    "[SBX20] what cannot be read or written is said in a sentence",
    async (call, provider, id) => {
      assert.equal(await call("read", { file_path: "none" }), "! read: none is not there.");
      assert.equal(await call("read", { file_path: "/tmp" }), "! read: /tmp is a directory.");
      await call("bash", {
        command:
          "head -c 100 /dev/urandom > junk; printf 'a\\0b' > nul; head -c 300000 /dev/zero | tr '\\0' x > long",
      });
      assert.match(
        await call("read", { file_path: "nul" }),
        /^! read: nul is no text in UTF-8 \(it has NUL bytes\)/,
      );
      assert.match(await call("read", { file_path: "junk" }), /is no text in UTF-8/);
      assert.match(
        await call("read", { file_path: "long" }),
        /is longer than 262144 bytes. Read a part/,
      );
      assert.match(
        await call("read", { file_path: "a", view_range: [3, 1] }),
        /view_range: the last line/,
      );
      assert.match(await call("read", { file_path: "a", view_range: [0, 1] }), /counted from 1/);
      assert.match(await call("read", {}), /^! read: file_path: must be a text/);
      await provider.exec(id, {
        command: "cat > p.png",
        stdin: png,
        timeoutMs: testTimeoutMs,
        bytesMax: 0,
      });
      await call("bash", { command: "printf GIF89a > words" });
      await provider.exec(id, {
        command: "cat > cut",
        stdin: png.subarray(0, 20),
        timeoutMs: testTimeoutMs,
        bytesMax: 0,
      });
      assert.equal(await call("read", { file_path: "words" }), "GIF89a");
      assert.match(
        await call("read", { file_path: "cut" }),
        /^! read: cut begins as image\/png, but is no whole picture/,
      );
      const [picture] = (
        await runTool(
          sandboxOf(provider, id),
          { name: "read", input: { file_path: "p.png" } },
          never,
        )
      ).content;
      assert.deepEqual(picture, {
        type: "image",
        source: { type: "base64", media_type: "image/png", data: png.toString("base64") },
      });
    },
  );

  withTools(
    "[SBX20] [SBX21] a pipe is named as such",
    async (call) => {
      await call("bash", { command: "mkfifo pipe" });
      assert.match(await call("read", { file_path: "pipe" }), /is no file: a pipe/);
      assert.match(await call("write", { file_path: "pipe", content: "" }), /is no file: a pipe/);
      assert.match(await call("grep", { pattern: "a", path: "pipe" }), /^! grep: path: .*: a pipe/);
    },
    "pipes",
  );

  withTools(
    "[SBX20] what may not be written is said",
    async (call) =>
      assert.match(
        await call("write", { file_path: "/usr/x", content: "" }),
        /^! write: \/usr\/x could not be taken: Read-only file system/,
      ),
    "rights",
  );

  withTools(
    "[SBX21] files are found by pattern, those that changed last first, and lines by expression",
    async (call) => {
      await call("bash", {
        command:
          "mkdir -p src/deep .git node_modules/x; touch -d 2020-01-01 src/old.ts; touch src/deep/new.ts .git/no.ts node_modules/x/no.ts top.ts .hidden.ts; echo 'find (me)' > src/deep/words.md",
      });
      assert.equal(
        await call("glob", { pattern: "src/**/*.ts" }),
        "/workspace/src/deep/new.ts\n/workspace/src/old.ts",
      );
      assert.deepEqual((await call("glob", { pattern: "*.ts" })).split("\n").toSorted(), [
        "/workspace/.hidden.ts",
        "/workspace/top.ts",
      ]);
      assert.equal(
        await call("glob", { pattern: "*.{md,txt}", path: "src/deep" }),
        "/workspace/src/deep/words.md",
      );
      assert.equal(await call("glob", { pattern: "*.none" }), "Nothing is like that.");
      assert.match(await call("glob", { pattern: "../*" }), /^! glob: pattern:/);
      assert.match(
        await call("glob", { pattern: "*", path: "nowhere" }),
        /there is no directory \/workspace\/nowhere/,
      );
      assert.equal(
        await call("grep", { pattern: "f.nd \\(" }),
        "/workspace/src/deep/words.md:1:find (me)",
      );
      assert.equal(
        await call("grep", { pattern: "me", path: "src/deep/words.md" }),
        "/workspace/src/deep/words.md:1:find (me)",
      );
      assert.equal(await call("grep", { pattern: "nothing at all" }), "No line is like that.");
      await call("bash", { command: "mkdir shut; chmod 0 shut" });
      assert.equal(await call("glob", { pattern: "*.none" }), "Nothing is like that.");
      assert.match(await call("grep", { pattern: "(" }), /^! grep: pattern: /);
      assert.match(
        await call("grep", { pattern: "-x", path: "nowhere" }),
        /there is no file or directory/,
      );
      await call("bash", {
        command:
          "mkdir many; for n in $(seq 300); do echo hit > many/$n; done; head -c 200000 /dev/zero | tr '\\0' h > many/long",
      });
      const found = (await call("glob", { pattern: "many/*" })).split("\n");
      assert.equal(found.length, 201);
      assert.match(found[200] ?? "", /^\[101 more are left out/);
      assert.match(
        await call("grep", { pattern: "h", path: "many" }),
        /characters are left out here|more is left out/,
      );
    },
  );
}

const never = new AbortController().signal;

const sandboxOf = (provider: SandboxProvider, sessionId: string) => ({
  exec: (request: Parameters<SandboxProvider["exec"]>[1]) => provider.exec(sessionId, request),
  stop: () => provider.stop(sessionId),
});

/** Text of the result; an exclamation mark stands before that of an error. */
const callerOf =
  (provider: SandboxProvider, sessionId: string) =>
  async (name: string, input: Record<string, unknown>): Promise<string> => {
    const { content, isError } = await runTool(
      sandboxOf(provider, sessionId),
      { name, input },
      never,
    );
    const [block] = content;
    const text = block?.type === "text" ? block.text : `(${block?.type})`;
    return isError ? `! ${text}` : text;
  };
