// Layers of sandboxes, which every provider keeps, whatever it is made of.
import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { after, before, suite, test } from "node:test";
import { systemClock } from "../../kernel/base/clock.ts";
import { systemRandom } from "../../kernel/base/random.ts";
import { defaultLimits, openLinux, type SandboxProvider } from "../../server/sandboxes/module.ts";
import { testTimeoutMs } from "../test-timeout.ts";
import { asUser, isRoot, temporaryDirectory, userFault } from "./machine.ts";
import { providersHere } from "./providers.ts";

const path = "/mnt/tools";

if (isRoot)
  test("[SBX17] layers of an ordinary user's sandboxes", { skip: userFault }, () => {
    const env = Object.fromEntries(
      Object.entries(process.env).filter(([name]) => name !== "NODE_TEST_CONTEXT"),
    );
    const [program, args] = asUser([process.execPath, "--test", import.meta.filename]);
    const options = { env, encoding: "utf8", cwd: "/", timeout: 4 * testTimeoutMs } as const;
    const { status, stdout } = spawnSync(program, args, options);
    assert.equal(status, 0, stdout);
    assert.match(stdout, /\[SBX44\] what one.*as an ordinary user/);
  });

test("[SBX44] of a server that is killed while it makes one nothing is left", async () => {
  const directory = temporaryDirectory();
  const program = join(import.meta.dirname, "server.ts");
  const word = `w${systemRandom.bytes(6).toString("hex")}`;
  const server = spawn(process.execPath, [program, directory, word, "layer"], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  await once(server.stdout, "data");
  const sessions = join(directory, "sessions");
  assert.deepEqual(
    readdirSync(sessions).map((name) => name.endsWith("-layer")),
    [true],
  );
  server.kill("SIGKILL");
  await once(server, "exit");
  const world = { clock: systemClock, random: systemRandom };
  const provider = await openLinux({ ...world, directory });
  try {
    assert.deepEqual(readdirSync(sessions), []);
    assert.deepEqual(await provider.layers.list(), []);
  } finally {
    await provider.close();
  }
});

for (const { what, lacks, open } of providersHere)
  suite(what, { skip: lacks.layers }, () => {
    const directory = temporaryDirectory();
    testLayers(what, () => open(directory));
  });

function testLayers(what: string, open: () => Promise<SandboxProvider>): void {
  let provider: SandboxProvider;
  before(async () => {
    provider = await open();
  });
  after(() => provider.close());
  const usual = { timeoutMs: testTimeoutMs, bytesMax: 1_000_000 };
  const say = async (sessionId: string, command: string) =>
    (await provider.exec(sessionId, { ...usual, command })).output.toString();
  const make = async (name: string, line: string): Promise<void> => {
    const sessionId = provider.layers.newSandboxId();
    const folders = [{ path, kind: "writable" as const }];
    await provider.ensure({ sessionId, limits: defaultLimits, env: {}, folders });
    await say(sessionId, line);
    await provider.layers.keep(sessionId, name);
  };
  const show = async (name: string, links: Record<string, string> = {}): Promise<string> => {
    const sessionId = `session_${systemRandom.bytes(6).toString("hex")}`;
    const layer = { name, path, links };
    await provider.ensure({ sessionId, limits: defaultLimits, env: {}, layer });
    return sessionId;
  };

  test(`[SBX44] what one sandbox made others see, at one path and at the same time, ${what}`, async () => {
    await make(
      "seen",
      `cd ${path} && mkdir bin && printf '#!/bin/sh\\necho ran' >bin/run && chmod +x bin/run && ln -s run bin/too`,
    );
    const [one, other] = [await show("seen"), await show("seen")];
    for (const each of [one, other]) assert.equal(await say(each, `${path}/bin/too`), "ran\n");
    await provider.stop(one);
    assert.equal(await say(one, `${path}/bin/run`), "ran\n", "and when it has stopped and begun");
    assert.deepEqual(await provider.layers.list(), ["seen"]);
    assert.ok(((await provider.layers.sizeOf("seen")) ?? 0) > 0);
    assert.ok(!(await provider.list()).some((id) => id.includes("layer")));
  });

  test(`[SBX44] names at the root lead into it, ${what}`, async () => {
    await make("linked", `mkdir -p ${path}/lib/modules && echo found >${path}/lib/modules/one`);
    const id = await show("linked", { modules: "lib/modules" });
    assert.equal(await say(id, "cat /modules/one"), "found\n");
    assert.equal(await say(id, "exec 2>&-; rm /modules && echo gone; >/new && echo made"), "");
    await make("astray", `mkdir ${path}/lib && ln -s /etc ${path}/lib/modules`);
    const astray = await show("astray", { modules: "lib/modules" });
    assert.equal(await say(astray, "[ -e /modules/shadow ] && echo the host"), "");
  });

  test(`[SBX44] no sandbox changes it, ${what}`, async () => {
    await make("kept", `cd ${path} && mkdir folder && echo whole >file && chmod -R a+rwX .`);
    const id = await show("kept");
    const tries = [
      `echo x >${path}/file`,
      `echo x >${path}/new`,
      `echo x >${path}/folder/new`,
      `rm ${path}/file`,
      `chmod 777 ${path}/file`,
      `mv ${path}/folder ${path}/other`,
      `mount -o remount,rw ${path}`,
    ];
    const line = tries.map((each) => `${each} && echo done`).join("; ");
    assert.equal(await say(id, `exec 2>&-; ${line}`), "");
    assert.equal(await say(id, `cd ${path} && cat file && ls`), "whole\nfile\nfolder\n");
  });

  test(`[SBX44] the first one under a name stays; without it no sandbox starts, ${what}`, async () => {
    await make("first", `echo 1 >${path}/file`);
    await make("first", `echo 2 >${path}/file`);
    assert.equal(await say(await show("first"), `cat ${path}/file`), "1\n");
    await provider.layers.remove("first");
    await provider.layers.remove("first");
    assert.equal(await provider.layers.sizeOf("first"), undefined);
    await assert.rejects(
      show("first").then((id) => say(id, "true")),
      { name: "SandboxError" },
    );
    for (const name of ["", "a/b", "..", "a b"])
      await assert.rejects(provider.layers.remove(name), { name: "SandboxError" });
    assert.deepEqual(await provider.layers.list(), ["astray", "kept", "linked", "seen"]);
  });

  test(`[SBX45] what is written is heard as it comes, ${what}`, async () => {
    const sessionId = await show("kept");
    const first = Promise.withResolvers<string>();
    const running = provider.exec(sessionId, {
      ...usual,
      bytesMax: 4,
      command: "printf '%0100d' 7; until [ -e go ]; do sleep 0.05; done; echo end",
      onOutput: (bytes) => first.resolve(bytes.toString()),
      signal: AbortSignal.timeout(testTimeoutMs),
    });
    assert.match(await first.promise, /^0{40}/);
    await provider.stop(sessionId);
    const { output, isTruncated } = await running;
    assert.equal(output.toString(), "0000");
    assert.ok(isTruncated);
  });
}
