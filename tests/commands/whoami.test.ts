// `plinth whoami`: what each key is, of which organization and type, and what it may do.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { openHouse, type House } from "../house.ts";
import { tenantsOf } from "../routes/callers.ts";
import { workerIn } from "../routes/worker.ts";
import { runInProcess } from "./in-process.ts";
import { expectRefusal } from "./plinth.ts";

let house: House;
before(async () => {
  house = await openHouse();
});
after(() => house[Symbol.asyncDispose]());

const home = { PLINTH_CONFIG_DIR: "/nowhere" };
const run = (env: Record<string, string>, ...args: string[]) =>
  runInProcess(["whoami", ...args], { PLINTH_BASE_URL: house.url, ...home, ...env });
const said = async (env: Record<string, string>, ...args: string[]): Promise<string> => {
  const { code, stdout, stderr } = await run(env, ...args);
  assert.equal(code, 0, stderr);
  return stdout;
};

test("of an API key: kind, workspace, organization with type, permissions by noun", async () => {
  const { platform } = house.organizations;
  const text = await said({ PLINTH_API_KEY: platform.api_key });
  assert.match(text, /^from +PLINTH_API_KEY\nkind +API key of a workspace\nid +apikey_\w+\n/);
  assert.match(text, /^organization +platform of the house {2}org_\w+\ntype +platform\n/m);
  assert.match(text, /^workspace +Default {2}wrkspc_\w+\npermissions +\w+: [a-z, ]+\n {14}\w/m);
  assert.match(text, /^ +messages: use$/m);
});

test("of an admin key of an enterprise organization: its scopes", async () => {
  const { enterprise } = house.organizations;
  const text = await said({ PLINTH_ADMIN_KEY: enterprise.admin_api_key });
  assert.match(text, /^kind +admin key$.*^type +enterprise$/ms);
  assert.match(text, /^scopes +.*read:members/m);
});

test("of a token and of the key of an environment", async () => {
  const { platform } = house.organizations;
  const token = await said({ PLINTH_API_KEY: platform.oauth_access_token });
  assert.match(token, /^kind +access token of a person$.*^e-mail +owner@platform\.example$/ms);
  const { secret } = await workerIn(tenantsOf(house)[0] ?? assert.fail("no tenant"));
  const worker = await said({ PLINTH_ENVIRONMENT_KEY: secret });
  assert.match(worker, /^kind +key of an environment$.*^environment +env_\w+$/ms);
});

test("of all that are set, each; as JSON a line each", async () => {
  const { platform } = house.organizations;
  const both = { PLINTH_API_KEY: platform.api_key, PLINTH_ADMIN_KEY: platform.admin_api_key };
  assert.equal((await said(both)).split("\n\n").length, 2);
  const lines = (await said(both, "--json")).trim().split("\n");
  const kinds = lines.map((line) => (JSON.parse(line) as { kind: string }).kind);
  assert.deepEqual(kinds, ["admin_key", "api_key"]);
});

test("without a key and a sign-in it says how to have one, and a named sign-in wins over keys", async () => {
  expectRefusal(await run({}), /plinth login/);
  const key = { PLINTH_API_KEY: house.organizations.platform.api_key };
  expectRefusal(await run(key, "--profile", "work"), /plinth login/);
  const dead = await run({ PLINTH_API_KEY: "sk-plinth-api-none" });
  assert.equal(dead.code, 3);
});
