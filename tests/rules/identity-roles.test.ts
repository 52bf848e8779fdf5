// Rule IDN10, over HTTP: what each role may do.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { openHouse, type House } from "../house.ts";
import { me } from "./support.ts";

let house: House;
before(async () => {
  house = await openHouse();
});
after(() => house[Symbol.asyncDispose]());

const console = "/console/api";
const hello = {
  model: "sim-small",
  max_tokens: 8,
  messages: [{ role: "user", content: "[[tokens 1]]" }],
};

test("[IDN10] permissions follow the role", async () => {
  const { organization_id } = house.organizations.other;
  const path = `${console}/keys`;
  const can = async (role: string) => {
    await house.world.db.tx((tx) =>
      tx.query({
        text: "update users set role = $1 where organization_id = $2",
        values: [role, organization_id],
      }),
    );
    const cookie = await house.signIn(house.organizations.other);
    const statuses = {
      see: (await house.ask("GET", me, { cookie })).status,
      list: (await house.ask("GET", path, { cookie })).status,
      create: (await house.ask("POST", path, { cookie, body: { name: role, kind: "api" } })).status,
      audit: (await house.ask("GET", `${console}/audit`, { cookie })).status,
      try: (await house.ask("POST", "/v1/messages", { cookie, body: hello })).status,
      account: (await house.ask("GET", `${console}/sign_ins`, { cookie })).status,
    };
    return Object.entries(statuses).flatMap(([what, status]) => {
      assert.ok(status === 200 || status === 403, `${role} ${what}: ${status}`);
      return status === 200 ? [what] : [];
    });
  };
  const everything = ["see", "list", "create", "audit", "try", "account"];
  for (const role of ["primary_owner", "owner", "admin"])
    assert.deepEqual(await can(role), everything, role);
  assert.deepEqual(await can("developer"), ["see", "list", "create", "try", "account"]);
  for (const role of ["user", "claude_code_user", "billing"])
    assert.deepEqual(await can(role), ["see", "try", "account"], role);
  assert.deepEqual(await can("membership_admin"), ["see", "account"]);
  assert.deepEqual(await can("managed"), ["account"]);
});
