// Rules DEP3 and DEP4 over HTTP: what is not there, and updates without a change.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { sql } from "../../kernel/sql/statement.ts";
import { openDeploymentHouse, type DeploymentHouse } from "./deployments-house.ts";
import { errorOf } from "./memory-house.ts";
import { minutes } from "./support.ts";

let d: DeploymentHouse;
before(async () => {
  d = await openDeploymentHouse();
});
after(() => d[Symbol.asyncDispose]());

const change = (id: string, body: object) => d.call("POST", `/v1/deployments/${id}`, { body });
const repository = { type: "github_repository", url: "https://github.com/owner/name" };

test("[DEP3] what is not there is 404, whatever it is", async () => {
  const missing: [object, string | undefined, RegExp][] = [
    [
      { resources: [{ type: "memory_store", memory_store_id: "memstore_none" }] },
      "memory_store_not_found",
      /no memory store memstore_none/,
    ],
    [{ resources: [{ type: "file", file_id: "file_none" }] }, undefined, /no file file_none/],
    [{ vault_ids: ["vlt_none"] }, "vault_not_found", /no vault vlt_none/],
  ];
  const { id } = await d.make();
  for (const [body, code, words] of missing)
    for (const answer of [await d.create(body), await change(id, body)])
      assert.match(errorOf(answer, 404, code).message, words);
});

test("[DEP4] an update that names the same token changes nothing, and another one is kept", async () => {
  const withToken = (token: string) => ({
    resources: [{ ...repository, authorization_token: token }],
  });
  const made = await d.make(withToken("ghp_one"));
  const { id } = made;
  const stored = async () => {
    const [row] = await d.house.world.db.query<{ tokens: string }>(
      sql`select tokens from deployments where id = ${id}`,
    );
    return row?.tokens ?? "";
  };
  const opened = async () =>
    d.house.world.secrets.decrypt(await stored(), `tokens of a deployment ${id}`).toString();
  const before = await stored();
  d.wall.advance(minutes(1));
  assert.deepEqual(await d.update(id, { ...made, ...withToken("ghp_one") }), made);
  assert.equal(await stored(), before);
  const changed = await d.update(id, withToken("ghp_two"));
  assert.notEqual(changed.updated_at, made.updated_at);
  assert.deepEqual(JSON.parse(await opened()), { 0: "ghp_two" });
  // Another place of the same repository is a change, and keeps the token.
  const moved = { ...repository, mount_path: "/workspace/other" };
  assert.deepEqual((await d.update(id, { resources: [moved] })).resources, [moved]);
  assert.deepEqual(JSON.parse(await opened()), { 0: "ghp_two" });
});

test("[DEP4] why it is paused is told, and set by pausing alone", async () => {
  const { id } = await d.make();
  const manual = { type: "manual" };
  const refused = await change(id, { paused_reason: manual });
  const { message } = errorOf(refused, 400);
  assert.match(
    message,
    /^paused_reason: is not set by an update; use POST ….*\/pause or …\/unpause\.$/,
  );
  await d.update(id, { paused_reason: null });
  await d.good("POST", `/v1/deployments/${id}/pause`);
  const paused = await d.read(id);
  assert.deepEqual(await d.update(id, { ...paused }), paused);
  errorOf(await change(id, { paused_reason: null }), 400);
  const error = { type: "environment_archived_error" };
  errorOf(await change(id, { paused_reason: { type: "error", error } }), 400);
  assert.deepEqual((await d.read(id)).paused_reason, manual);
});
