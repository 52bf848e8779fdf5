// Rules SES80, SES81, SES83 and SES86 in sandboxes as the server makes them.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { systemClock } from "../../kernel/base/clock.ts";
import { systemRandom } from "../../kernel/base/random.ts";
import { defaultLimits, openLinux, openVirtual } from "../../server/sandboxes/module.ts";
import {
  openMounts,
  prepareMounts,
  syncMounts,
} from "../../server/sessions/sandbox/mounts/mounts.ts";
import { hashFiles, type MountedSandbox, unreadable } from "../../server/mounts/module.ts";
import { foldersOf } from "../../server/sessions/sandbox/mounts/places.ts";
import { openHouse, type House } from "../house.ts";
import { temporaryDirectory } from "../sandboxes/machine.ts";
import { testTimeoutMs } from "../test-timeout.ts";
import { given, listing, storesOfTests, workedSession } from "./mounts-house.ts";

let house: House;
before(async () => {
  house = await openHouse();
});
after(() => house[Symbol.asyncDispose]());

const { makeStore, add, change, texts, sessionWith } = storesOfTests(() => house);

for (const open of [openLinux, openVirtual])
  test(`[SES80] [SES81] [SES83] [SES86] in a real sandbox, ${open.name}`, () =>
    inRealSandbox(open));

async function inRealSandbox(open: typeof openVirtual): Promise<void> {
  const [store, facts] = [await makeStore("real"), await makeStore("facts")];
  const one = await add(store, "/one", "1");
  await add(facts, "/fact", "true");
  const id = await sessionWith(given(store), given(facts, { access: "read_only" }));
  const session = await workedSession(house.world, id);
  const directory = temporaryDirectory();
  const provider = await open({ clock: systemClock, random: systemRandom, directory });
  const sandbox: MountedSandbox = {
    exec: (request) => provider.exec(id, request),
    fill: (folder, changed) => provider.fill(id, folder, changed),
  };
  try {
    await provider.ensure({
      sessionId: id,
      limits: defaultLimits,
      env: {},
      folders: foldersOf(session),
    });
    const mounts = openMounts(house.world, session, sandbox);
    const call = async (command: string) => {
      await prepareMounts(mounts, new AbortController().signal);
      const usual = { timeoutMs: testTimeoutMs, bytesMax: 10_000 };
      const { output } = await provider.exec(id, { ...usual, command });
      return [output.toString(), ...(await syncMounts(mounts)).notes];
    };
    assert.deepEqual(await call(listing), ["./facts/fact true\n./real/one 1\n"]);
    assert.match((await call("echo x >/mnt/memory/facts/fact")).join(), /read-only file system/i);
    assert.deepEqual(
      await call("cd /mnt/memory/real; printf 2 >one; printf n >new; mkdir ü; printf é >'ü/é a'"),
      [""],
    );
    assert.deepEqual(await texts(store), { "/new": "n", "/one": "2", "/ü/é a": "é" });
    await change(store, one, "theirs");
    await provider.stop(id);
    const [said] = await call(`${listing}; export TAR_OPTIONS=-x LC_ALL=C; exit 3`);
    assert.equal(said, "./facts/fact true\n./real/new n\n./real/one theirs\n./real/ü/é a é\n");
    // Of virtual sandboxes modes say nothing where the server is root.
    const closes = open === openLinux;
    const [, ...notes] = await call(
      "cd /mnt; echo x >session/outputs/closed; chmod 0 memory/real/one session/outputs/closed",
    );
    if (closes)
      assert.deepEqual(notes.toSorted(), [
        "/mnt/memory/real/one could not be read, so the memory store keeps what it has: look at its mode with ls -l.",
        "/mnt/session/outputs/closed could not be read, and cannot be downloaded: look at its mode with ls -l.",
      ]);
    assert.deepEqual(await texts(store), { "/new": "n", "/one": "theirs", "/ü/é a": "é" });
    assert.deepEqual(await call("chmod 644 /mnt/memory/real/one"), [""]);
    const long = `/${"é".repeat(128)}`;
    await add(facts, `${long}/two`, "true");
    await add(facts, "/three", "true");
    const notThere = `/mnt/memory/facts${long}/two is not there: a step of its path has more than 255 bytes.`;
    assert.deepEqual(await call("ls /mnt/memory/facts"), ["fact\nthree\n", notThere]);
    assert.deepEqual(await call("rm -r /mnt/memory/real/*"), [""]);
    assert.deepEqual(await texts(store), {});
    if (!closes) return;
    // What is said of each is longer than a hash.
    const closed = Array.from({ length: 60 }, (_, at) => `/workspace/${"closed-".repeat(20)}${at}`);
    await call(
      `cd /workspace; for at in {0..59}; do : >${closed[0]?.replace("0", "$at")}; done; chmod 0 *`,
    );
    assert.deepEqual(
      await hashFiles(sandbox, closed),
      closed.map(() => unreadable),
    );
  } finally {
    await provider.destroy(id);
    await provider.close();
  }
}
