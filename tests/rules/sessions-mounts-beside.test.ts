// Rule SES89: memory stores while a call runs.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { systemClock } from "../../kernel/base/clock.ts";
import { systemRandom } from "../../kernel/base/random.ts";
import { openLinux, type SandboxProvider } from "../../server/sandboxes/module.ts";
import { syncBeside } from "../../server/mounts/module.ts";
import { syncMounts } from "../../server/sessions/sandbox/mounts/mounts.ts";
import { sandboxesPart } from "../../server/sessions/sandbox/sandboxes.ts";
import { temporaryDirectory } from "../sandboxes/machine.ts";
import { type Memory, memoryOf, type Page, type Store } from "./memory-house.ts";
import { mountsOf } from "./mounts-house.ts";
import { computer, openSessionHouse, said } from "./sessions-house.ts";
import { resultsOf, shell } from "./sessions-sandboxes-house.ts";
import { until } from "./support.ts";

let it: Awaited<ReturnType<typeof openSessionHouse>>;
let memory: ReturnType<typeof memoryOf>;
let provider: SandboxProvider;
const directory = temporaryDirectory();
before(async () => {
  it = await openSessionHouse();
  memory = memoryOf(() => it.house);
  provider = await openLinux({ clock: systemClock, random: systemRandom, directory });
  sandboxesPart.of(it.house.world).use(provider);
});
after(async () => {
  await it.house[Symbol.asyncDispose]();
  await provider.close();
});

const makeStore = (name: string) => memory.good<Store>("POST", "", { body: { name } });
const add = (store: Store, path: string, content: string) =>
  memory.good<Memory>("POST", `/${store.id}/memories`, { body: { path, content } });
const texts = async (store: Store): Promise<Record<string, string | null>> => {
  const { data } = await memory.good<Page<Memory>>("GET", `/${store.id}/memories?view=full`);
  return Object.fromEntries(data.map(({ path, content }) => [path, content]));
};

async function sessionWith(...resources: object[]): Promise<string> {
  const { id } = await it.agent({ tools: [computer()] });
  const environment = await it.environment("cloud");
  return (await it.begin({ agent: id, environment_id: environment.id, resources })).id;
}

const given = ({ id }: Store, more: object = {}) => ({
  type: "memory_store",
  memory_store_id: id,
  ...more,
});

test("[SES89] while a call runs, what it writes is in the store, and what comes there is with it", async () => {
  const [store, facts] = [await makeStore("Long"), await makeStore("Facts")];
  const id = await sessionWith(given(store), given(facts, { access: "read_only" }));
  const waiting =
    "cd /mnt/memory; printf mine >long/mine; until [ -e long/theirs ] && [ -e facts/fact ]; do sleep 0.1; done; cat long/theirs facts/fact";
  const turn = it.turn(id, said(shell(waiting)));
  await until(async () => (await texts(store))["/mine"] === "mine", "what the call wrote");
  await add(store, "/theirs", "written ");
  await add(facts, "/fact", "meanwhile");
  assert.deepEqual(resultsOf(await turn), ["written meanwhile"]);
});

test("[SES89] what is being written when it is looked at waits once", async () => {
  const store = await makeStore("Notes");
  using at = await mountsOf(it.house.world, await sessionWith(given(store)));
  await at.prepare();
  await at.say("printf 1 >/mnt/memory/notes/early");
  await systemClock.sleep(1_100);
  await at.say("printf 2 >/mnt/memory/notes/late");
  await syncBeside(at.mounts.stores);
  assert.deepEqual(await texts(store), { "/early": "1" });
  await at.say("printf 3 >>/mnt/memory/notes/late");
  await syncBeside(at.mounts.stores);
  assert.deepEqual(await texts(store), { "/early": "1", "/late": "23" });
});

test("[SES89] a conflict beside a call is told with its result", async () => {
  const store = await makeStore("Both");
  using at = await mountsOf(it.house.world, await sessionWith(given(store)));
  await at.prepare();
  await at.say("printf mine >/mnt/memory/both/file");
  await add(store, "/file", "theirs");
  await syncBeside(at.mounts.stores);
  await syncBeside(at.mounts.stores);
  assert.equal(await at.say("cat /mnt/memory/both/file"), "theirs");
  const [note, ...rest] = (await syncMounts(at.mounts)).notes;
  assert.match(
    note ?? "",
    /both\/file was changed in the memory store meanwhile.*memory-conflicts/,
  );
  assert.deepEqual(rest, []);
});

test("[SES89] where the sandbox cannot be looked into meanwhile, the end of the call does it", async () => {
  const store = await makeStore("Killed");
  const id = await sessionWith(given(store));
  const killing = "kill -9 -1; printf kept >/mnt/memory/killed/file; sleep 12; echo done";
  assert.deepEqual(resultsOf(await it.turn(id, said(shell(killing)))), ["done"]);
  assert.deepEqual(await texts(store), { "/file": "kept" });
});
