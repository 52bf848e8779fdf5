// Names where ids could stand: of workspaces, people, keys and deployments; ids with --ids, and with --json.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { openHouse, type House, type Tenant } from "../house.ts";
import { makeKey } from "../rules/support.ts";
import { makePerson, workspacesOf } from "../rules/workspaces-house.ts";
import { runInProcess } from "./in-process.ts";

let house: House;
let platform: Tenant;
let env: Record<string, string>;
let workspace: string;
before(async () => {
  house = await openHouse();
  ({ platform } = house.organizations);
  env = {
    PLINTH_ADMIN_KEY: platform.admin_api_key,
    PLINTH_API_KEY: platform.api_key,
    PLINTH_BASE_URL: house.url,
  };
  workspace = await workspacesOf(house).make(platform, { name: "Search team" });
});
after(() => house[Symbol.asyncDispose]());

const said = async (own: Record<string, string>, ...args: string[]): Promise<string> => {
  const { code, stdout, stderr } = await runInProcess(args, own);
  assert.equal(code, 0, stderr);
  return stdout;
};

test("keys name their workspace, and show who made them", async () => {
  const key = await makeKey(house, platform, {
    kind: "api",
    name: "Of search",
    workspace_id: workspace,
  });
  const rows = (await said(env, "keys", "list")).split("\n");
  assert.match(
    rows.find((row) => row.includes(key.id)) ?? "",
    / Of search +active +Search team {2}/,
  );
  assert.ok(rows.some((row) => / active +organization /.test(row)));
  const bare = (await said(env, "keys", "list", "--ids")).split("\n");
  assert.ok(bare.some((row) => row.includes(key.id) && row.includes(workspace)));
  const json = await said(env, "keys", "list", "--json");
  assert.ok(json.includes(workspace) && !json.includes("Search team"));
  const shown = await said(env, "keys", "show", key.id);
  assert.match(shown, new RegExp(`^workspace +Search team \\(${workspace}\\)$`, "m"));
  assert.match(shown, /^created .* by owner@platform\.example \(user_\w+\)$/m);
});

test("many workspaces are named from the list, and not one by one", async () => {
  const made = await Promise.all(
    ["One", "Two", "Three", "Four", "Five"].map(async (name) => {
      const id = await workspacesOf(house).make(platform, { name });
      await makeKey(house, platform, { kind: "api", name: `Key of ${name}`, workspace_id: id });
      return name;
    }),
  );
  const text = await said(env, "keys", "list");
  for (const name of made) assert.match(text, new RegExp(` Key of ${name} +active +${name} `));
});

test("members of a workspace are named by the address that commands take", async () => {
  const { id } = await makePerson(house, platform);
  await said(env, "workspaces", "members", "add", workspace, id);
  const text = await said(env, "workspaces", "members", "list", workspace);
  assert.match(text, /^USER +ROLE\n\S+@\S+ +workspace_user\n$/);
  const bare = await said(env, "workspaces", "members", "list", workspace, "--ids");
  assert.equal(bare.split("\n")[1]?.split(" ")[0], id);
});

test("the audit log names what was done to", async () => {
  const words = ["audit", "--action", "workspace.", "--of", workspace, "--limit", "1"];
  assert.match(await said(env, ...words), / {2}Search team {2}/);
  assert.ok((await said(env, ...words, "--ids")).includes(workspace));
});

test("a caller who may not read names sees ids", async () => {
  await said(env, "memory", "create", "kept");
  await said(env, "memory", "put", "kept:/test.ts", import.meta.filename);
  assert.match(await said(env, "memory", "log", "kept"), /^memver_\w+ .* apikey_\w+ +\/test\.ts$/m);
});
