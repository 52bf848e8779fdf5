// Folders of sandboxes, which every provider keeps, whatever it is made of.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { after, before, suite, test } from "node:test";
import { systemRandom } from "../../kernel/base/random.ts";
import { defaultLimits, type SandboxProvider } from "../../server/sandboxes/module.ts";
import type { FolderChange, SandboxFolder } from "../../server/sandboxes/provider.ts";
import { testTimeoutMs } from "../test-timeout.ts";
import { asUser, isRoot, temporaryDirectory, userFault } from "./machine.ts";
import { type Need, type ProviderHere, providersHere } from "./providers.ts";

const folders: readonly SandboxFolder[] = [
  { path: "/mnt/memory/notes", kind: "writable" },
  { path: "/mnt/memory", kind: "in_memory" },
  { path: "/mnt/memory/facts", kind: "read_only" },
  { path: "/mnt/session/outputs", kind: "writable" },
];
const facts = "/mnt/memory/facts";
const text = (path: string, content: string) => ({ path, content: Buffer.from(content) });

if (isRoot)
  test("[SBX17] folders of an ordinary user's sandboxes", { skip: userFault }, () => {
    const env = Object.fromEntries(
      Object.entries(process.env).filter(([name]) => name !== "NODE_TEST_CONTEXT"),
    );
    const [program, args] = asUser([process.execPath, "--test", import.meta.filename]);
    const options = { env, encoding: "utf8", cwd: "/", timeout: 4 * testTimeoutMs } as const;
    const { status, stdout } = spawnSync(program, args, options);
    assert.equal(status, 0, stdout);
    assert.match(stdout, /\[SBX41\] the server fills.*as an ordinary user/);
  });

for (const here of providersHere)
  suite(here.what, () => {
    const directory = temporaryDirectory();
    testFolders(here, () => here.open(directory));
  });

interface Opened {
  provider: SandboxProvider;
  sessionId: string;
  /** What the line wrote. */
  say: (line: string) => Promise<string>;
  fill: (change: FolderChange) => Promise<void>;
}

function testFolders({ what, lacks }: ProviderHere, open: () => Promise<SandboxProvider>): void {
  let provider: SandboxProvider;
  before(async () => {
    provider = await open();
  });
  after(() => provider.close());

  const withFolders = (name: string, run: (opened: Opened) => Promise<void>, need?: Need) =>
    void test(`${name}, ${what}`, { skip: need && lacks[need] }, async () => {
      const sessionId = `session_${systemRandom.bytes(6).toString("hex")}`;
      await provider.ensure({ sessionId, limits: defaultLimits, env: {}, folders });
      const usual = { timeoutMs: testTimeoutMs, bytesMax: 1_000_000 };
      const say = async (command: string) =>
        (await provider.exec(sessionId, { ...usual, command })).output.toString();
      try {
        const fill = (change: FolderChange) => provider.fill(sessionId, facts, change);
        await run({ provider, sessionId, say, fill });
      } finally {
        await provider.destroy(sessionId);
      }
    });

  withFolders("[SBX40] folders are there, each with its rights", async ({ say }) => {
    assert.equal(await say("cd /mnt && find . | sort"), [
      ".", "./memory", "./memory/facts", "./memory/notes", "./session", "./session/outputs", "",
    ].join("\n")); // prettier-ignore
    for (const folder of ["memory", "memory/notes", "session/outputs"])
      assert.equal(await say(`echo x >/mnt/${folder}/new && echo written`), "written\n", folder);
    for (const act of [
      "echo x >/mnt/memory/facts/new",
      "mkdir /mnt/memory/facts/new",
      "touch /mnt/memory/facts",
    ])
      assert.match(await say(act), /read-only file system/i, act);
    assert.equal(await say("ls -A /mnt/memory/facts"), "");
  });

  withFolders(
    "[SBX40] beside folders nothing is written",
    async ({ say }) => assert.match(await say("echo x >/mnt/session/new"), /Read-only file system/),
    "rights",
  );

  withFolders("[SBX40] what is not in memory stays when it stops", async (opened) => {
    const { provider, sessionId, say, fill } = opened;
    await fill({ files: [text("kept", "by the server")] });
    await say("for f in memory memory/notes session/outputs; do echo $f >/mnt/$f/file; done");
    await provider.stop(sessionId);
    assert.equal(
      await say(
        "cd /mnt; cat memory/notes/file session/outputs/file memory/facts/kept; ls memory | sort",
      ),
      "memory/notes\nsession/outputs\nby the serverfacts\nnotes\n",
    );
    await provider.destroy(sessionId);
    await provider.ensure({ sessionId, limits: defaultLimits, env: {}, folders });
    assert.equal(await say("find /mnt -type f"), "", "and goes with the sandbox");
  });

  withFolders("[SBX41] the server fills a read-only folder, and changes it", async (opened) => {
    const { say, fill } = opened;
    const all = `cd ${facts} && find . -type f -printf '%m %p ' -exec cat {} \\; -exec echo \\;`;
    const seen = async () => (await say(all)).split("\n").filter(Boolean).toSorted();
    async function* pieces() {
      yield Buffer.from("in ");
      yield Buffer.from("pieces");
    }
    const run = { path: "a/b/run", content: pieces(), isExecutable: true };
    await fill({ files: [text("one", "1"), run] });
    assert.deepEqual(await seen(), ["644 ./one 1", "755 ./a/b/run in pieces"]);
    await fill({ removed: ["a/b/run", "not there"], files: [text("one", "2"), text("é/x y", "")] });
    assert.deepEqual(await seen(), ["644 ./one 2", "644 ./é/x y "]);
    await fill({ files: [text("é", "a file now"), text("one/two", "a folder now")] });
    assert.deepEqual(await seen(), ["644 ./one/two a folder now", "644 ./é a file now"]);
    await fill({ isWhole: true, files: [text("last", "3")] });
    assert.equal(await say("find . -mindepth 1"), "./last\n", "seen from within");
  });

  withFolders("[SBX41] what breaks off leaves the file as it was", async ({ say, fill }) => {
    await fill({ files: [text("one", "1")] });
    async function* broken() {
      yield Buffer.from("half");
      throw new Error("broken off");
    }
    await assert.rejects(fill({ files: [{ path: "one", content: broken() }] }), /broken off/);
    assert.equal(await say(`cat ${facts}/*`), "1");
  });

  withFolders("[SBX41] a folder is filled while a call runs", async ({ say, fill }) => {
    await say("true");
    const waiting = say(`until [ -e ${facts}/there ]; do sleep 0.05; done; cat ${facts}/there`);
    await fill({ files: [text("there", "filled")] });
    assert.equal(await waiting, "filled");
  });

  withFolders("[SBX40] what may be no folder is refused", async ({ provider, sessionId }) => {
    const refused = (...given: SandboxFolder[]) => {
      const spec = { sessionId: `${sessionId}_other`, limits: defaultLimits, env: {} };
      return assert.rejects(provider.ensure({ ...spec, folders: given }), { name: "SandboxError" });
    };
    for (const path of [
      "/workspace/a",
      "/mnt",
      "/mnt/",
      "/mnt/a/",
      "/mnt/../a",
      "/mnt/a b",
      "/mnt/é",
    ])
      await refused({ path, kind: "writable" });
    const one = { path: "/mnt/one", kind: "writable" } as const;
    await refused(one, one);
    await refused(one, { path: "/mnt/one/two", kind: "writable" });
    await refused(...Array.from({ length: 33 }, (_, n) => ({ ...one, path: `/mnt/${n}` })));
  });

  withFolders("[SBX41] what may not be filled is refused", async ({ provider, sessionId, say }) => {
    const refused = (folder: string, path: string) =>
      assert.rejects(provider.fill(sessionId, folder, { files: [text(path, "x")] }), {
        name: "SandboxError",
      });
    await refused("/mnt/memory/notes", "a");
    await refused("/mnt/memory/none", "a");
    for (const path of ["", "/a", "a//b", "../a", "a/../b", ".", "a\0b", "é".repeat(128)])
      await refused(facts, path);
    assert.equal(await say("find /mnt -type f"), "");
  });

  withFolders(
    "[SBX42] calls of the server leave it to agents' to hear of a new shell",
    async (opened) => {
      const { provider, sessionId, say } = opened;
      await say("exit 1");
      const call = (isInternal: boolean) =>
        provider.exec(sessionId, {
          command: "true",
          timeoutMs: testTimeoutMs,
          bytesMax: 0,
          isInternal,
        });
      await call(true);
      assert.equal((await call(false)).isRestarted, true);
      assert.equal((await call(false)).isRestarted, false);
    },
  );
}
