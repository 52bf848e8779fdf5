// Rule ENV13: what an environment asks of the machine and gives to a sandbox.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { fakeProbe } from "./fake-probe.ts";
import { openSessionHouse, type SessionHouse } from "./sessions-house.ts";
import { environmentsOf } from "./environments-house.ts";
import { errorOf } from "./memory-house.ts";
import { sentenceOf } from "./support.ts";

let it: SessionHouse;
before(async () => {
  it = await openSessionHouse({ sections: { sandbox: { memory_mib: 512 } } });
});
after(() => it[Symbol.asyncDispose]());
const env = environmentsOf(() => it.house);

const cloud = (sandbox: unknown) => ({ name: "tools", config: { type: "cloud", sandbox } });
const askedOf = ({ config }: { config: { type: string; sandbox?: unknown } }) => config.sandbox;

test("[ENV13] what is asked for is shown, replaced as a whole, and gone when it is empty", async () => {
  const asked = { guarantees: ["disk", "memory"], memory_mib: 256, cpus: 0.5 };
  const made = await env.make(cloud(asked));
  assert.deepEqual(askedOf(made), asked);
  const change = (sandbox: unknown) => env.update(made.id, cloud(sandbox));
  assert.deepEqual(askedOf(await change(null)), asked);
  assert.deepEqual(askedOf(await change({ tmp_mib: 64 })), { guarantees: [], tmp_mib: 64 });
  assert.equal(askedOf(await change({})), undefined);
  assert.equal(askedOf(await env.make({ config: { type: "cloud" } })), undefined);
});

test("[ENV13] more than the settings give, and what is no guarantee, is refused by its field", async () => {
  const refused = async (sandbox: unknown, words: RegExp) =>
    assert.match(sentenceOf(await env.call("POST", "", { body: cloud(sandbox) }), 400), words);
  await refused(
    { memory_mib: 513 },
    /^config\.sandbox\.memory_mib: must be at most 512, .*sandbox\.memory_mib/,
  );
  await refused({ processes_max: 257 }, /^config\.sandbox\.processes_max: must be at most 256/);
  await refused({ guarantees: ["speed"] }, /config\.sandbox\.guarantees/);
  await refused({ guarantees: ["disk", "disk"] }, /config\.sandbox\.guarantees/);
  await refused({ memory_mib: 1 }, /config\.sandbox\.memory_mib/);
  assert.equal((await env.call("POST", "", { body: cloud({ memory_mib: 512 }) })).status, 200);
});

test("[ENV13] a session whose environment asks for more than the machine holds does not begin", async () => {
  fakeProbe(it.house.world, { disk: "best_effort", memory: "enforced" });
  const { id: agent } = await it.agent();
  const begin = async (guarantees: readonly string[]) => {
    const { id: environment_id } = await env.make(cloud({ guarantees }));
    return it.tryBegin({ agent, environment_id });
  };
  const refused = errorOf(await begin(["memory", "disk"]), 400, "unsupported");
  assert.match(refused.message, /^environment_id: .*The guarantee disk is held as well as it goes/);
  assert.equal((await begin(["memory"])).status, 200);
});
