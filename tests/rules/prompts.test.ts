// Rules PRM1 to PRM6, over HTTP: prompts that are saved for a workspace.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { sql } from "../../kernel/sql/statement.ts";
import { limits } from "../../server/prompts/limits.ts";
import { openHouse, type House, type Tenant } from "../house.ts";
import { eventsOf, sentenceOf } from "./support.ts";

let house: House;
let platform: Tenant;
before(async () => {
  house = await openHouse();
  ({ platform } = house.organizations);
});
after(() => house[Symbol.asyncDispose]());

const path = "/console/api/prompts";
const saying = (content: string, fields: object = {}) => ({
  model: "sim-small",
  max_tokens: 8,
  messages: [{ role: "user", content }],
  ...fields,
});
const call = (method: string, where = "", body?: object, tenant = platform) =>
  house.ask(method, path + where, { cookie: tenant.cookie, ...(body && { body }) });
async function good(method: string, where = "", body?: object) {
  const answer = await call(method, where, body);
  assert.equal(answer.status, 200, JSON.stringify(answer.body));
  return answer.body;
}
const make = async (name: string, request: object = saying(name)): Promise<string> =>
  (await good("POST", "", { name, request })).prompt_id;

test("[PRM1] a prompt is read as it was saved, and its name is the only one of its workspace", async () => {
  const request = saying("Say \ud83d\ude00", { temperature: 0.5, system: "Be kind." });
  const made = await good("POST", "", { name: "Greeting", request });
  assert.match(made.prompt_id, /^prompt_\w+$/);
  assert.equal(made.version, 1);
  assert.deepEqual(made.request, request);
  assert.deepEqual(await good("GET", `/${made.prompt_id}/versions/1`), made);
  const again = await call("POST", "", { name: " greeting ", request });
  assert.match(sentenceOf(again, 409), /^There is a prompt greeting in this workspace already/);
  const other = await make("Farewell");
  assert.match(sentenceOf(await call("POST", `/${other}`, { name: "GREETING" }), 409), /already/);
  const renamed = await good("POST", `/${other}`, { name: "FAREWELL" });
  assert.deepEqual([renamed.name, renamed.version], ["FAREWELL", 1]);
  for (const name of ["", " ", "a\nb", "a".repeat(limits.nameCharactersMax + 1)])
    assert.match(sentenceOf(await call("POST", "", { name, request }), 400), /^name: /);
  assert.match(sentenceOf(await call("POST", "", { name: "x", request: {} }), 400), /^request\./);
});

test("[PRM2] versions are added with the next number, and each stays as it was", async () => {
  const id = await make("Counted", saying("one"));
  const texts = ["two", "three", "four"];
  await Promise.all(
    texts.map((text) => good("POST", `/${id}/versions`, { request: saying(text) })),
  );
  const { data } = await good("GET", `/${id}/versions`);
  assert.deepEqual(
    data.map(({ version }: { version: number }) => version),
    [4, 3, 2, 1],
  );
  assert.equal(data[0].request, undefined);
  assert.match(data[0].created_by, /^user_/);
  const first = await good("GET", `/${id}/versions/1`);
  assert.deepEqual(first.request, saying("one"));
  const kept = await Promise.all(
    [2, 3, 4].map(async (version) => {
      const { request } = await good("GET", `/${id}/versions/${version}`);
      return request.messages[0].content as string;
    }),
  );
  assert.deepEqual(kept.toSorted(), texts.toSorted());
  const listed = await good("GET");
  const mine = listed.data.find((prompt: { id: string }) => prompt.id === id);
  assert.equal(mine.version, 4);
  for (const version of ["5", "0", "one", "99999999999"])
    sentenceOf(await call("GET", `/${id}/versions/${version}`), 404);
  await good("DELETE", `/${id}`);
  sentenceOf(await call("GET", `/${id}/versions/1`), 404);
});

test("[PRM3] what is too long or too much is refused with the way out", async () => {
  const long = saying("a".repeat(limits.requestBytesMax));
  const sentence = sentenceOf(await call("POST", "", { name: "Long", request: long }), 400);
  assert.match(sentence, /^request: has \d+ bytes; a prompt takes at most 262144/);
  const longer = saying("a".repeat(limits.bodyBytesMax));
  assert.equal((await call("POST", "", { name: "Longer", request: longer })).status, 413);
  const id = await make("Full");
  await house.world.db.query(sql`
    insert into prompt_versions (prompt_id, version, request, created_at)
    select ${id}::text, place, '{"model": "m"}'::json, now()
    from generate_series(2, ${limits.versionsPerPrompt}::int) as place`);
  await house.world.db.query(sql`
    update prompts set versions = ${limits.versionsPerPrompt} where id = ${id}`);
  const more = await call("POST", `/${id}/versions`, { request: saying("more") });
  assert.match(sentenceOf(more, 400), /500 versions, and no more are allowed/);
  await house.world.db.query(sql`
    insert into prompts (id, organization_id, workspace_id, name, name_key, versions, created_at,
      updated_at)
    select 'prompt_0' || place, organization_id, workspace_id, 'n' || place, 'n' || place, 1, now(),
      now()
    from prompts, generate_series(1, ${limits.promptsPerWorkspace}::int) as place
    where id = ${id}`);
  const one = await call("POST", "", { name: "One more", request: saying("x") });
  assert.match(sentenceOf(one, 400), /1000 are allowed\. Delete some first/);
  await house.world.db.query(
    sql`delete from prompts where id like 'prompt\\_0%' and name like 'n%'`,
  );
});

test("[PRM4] no token of an MCP server is kept", async () => {
  const server = { type: "url", url: "https://mcp.example.com", name: "docs" };
  const open = saying("x", { mcp_servers: [server] });
  await make("With a server", open);
  const secret = saying("x", { mcp_servers: [{ ...server, authorization_token: "hidden" }] });
  const refused = await call("POST", "", { name: "With a secret", request: secret });
  assert.match(sentenceOf(refused, 400), /^request\.mcp_servers: .* prompts keep no secrets/);
  assert.doesNotMatch(JSON.stringify(refused.body), /hidden/);
});

test("[PRM5] to another organization and another workspace a prompt does not exist", async () => {
  const id = await make("Own");
  const elsewhere = house.organizations.enterprise;
  const { body: made } = await house.ask("POST", "/v1/organizations/workspaces", {
    cookie: platform.cookie,
    body: { name: "Beside" },
  });
  const asks: [method: string, where: string, body?: object][] = [
    ["POST", `/${id}`, { name: "Taken" }],
    ["DELETE", `/${id}`],
    ["POST", `/${id}/versions`, { request: saying("x") }],
    ["GET", `/${id}/versions`],
    ["GET", `/${id}/versions/1`],
  ];
  for (const [method, where, body] of asks) {
    sentenceOf(await call(method, where, body, elsewhere), 404);
    const beside = await house.ask(method, path + where, {
      cookie: platform.cookie,
      headers: { "anthropic-workspace-id": made.id },
      ...(body && { body }),
    });
    sentenceOf(beside, 404);
  }
  const { body: none } = await call("GET", "", undefined, elsewhere);
  assert.deepEqual(none.data, []);
  const { status } = await house.ask("GET", path, { key: platform.api_key });
  assert.equal(status, 403);
  assert.equal((await good("GET", `/${id}/versions/1`)).version, 1);
});

test("[PRM6] each change leaves one event, which holds nothing of a request", async () => {
  const id = await make("Told", saying("a private word"));
  await good("POST", `/${id}/versions`, { request: saying("another private word") });
  await good("POST", `/${id}`, { name: "Told again" });
  await good("POST", `/${id}`, { name: "Told again" });
  await good("DELETE", `/${id}`);
  const all = await eventsOf(house, platform);
  const events = all.filter(({ target }) => target?.id === id).toReversed();
  assert.deepEqual(
    events.map(({ action }) => action),
    ["prompt.created", "prompt.version_created", "prompt.renamed", "prompt.deleted"],
  );
  assert.doesNotMatch(JSON.stringify(events), /private/);
});
