// Rules ORG1 to ORG4, over HTTP.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { initialize } from "../../server/organization-setup.ts";
import { routes } from "../../server/app.ts";
import { operator } from "../../server/audit/module.ts";
import { createSetupLink } from "../../server/identity/module.ts";
import { createOrganization } from "../../server/organizations/module.ts";
import { openHouse, type House } from "../house.ts";
import { cookieFrom, me, sentenceOf, tokenOf } from "./support.ts";

let house: House;
before(async () => {
  house = await openHouse();
});
after(() => house[Symbol.asyncDispose]());

const password = "correct horse battery staple";
const setUp = (token: string, more: Record<string, unknown> = {}) =>
  house.ask("POST", "/console/api/setup", { body: { token, password, ...more } });
const fresh = (organization: string) =>
  initialize(house.world, { organization, type: "platform", email: "someone@fresh.example" });

/** An organization that nobody has claimed, and the token that claims it. */
const unclaimed = async (name: string): Promise<string> =>
  tokenOf(
    await house.world.db.tx(async (tx) => {
      const { id } = await createOrganization(tx, house.world, operator, {
        name,
        type: "platform",
      });
      return createSetupLink(tx, house.world, operator, id, null);
    }),
  );
const claim = (token: string, organization_name: string) =>
  setUp(token, { organization_name, email: "someone@fresh.example" });

test("[ORG1] /me gives id, type and name of the caller's organization", async () => {
  for (const name of ["platform", "enterprise", "other"] as const) {
    const tenant = house.organizations[name];
    const expected = {
      id: tenant.organization_id,
      type: "organization",
      name: `${name} of the house`,
    };
    const bearer = { authorization: `Bearer ${tenant.oauth_access_token}` };
    for (const ask of [
      { key: tenant.admin_api_key },
      { headers: bearer },
      { cookie: tenant.cookie },
    ])
      assert.deepEqual((await house.ask("GET", me, ask)).body, expected);
  }
});

test("[ORG1] there is no way to ask for another organization's", async () => {
  const { platform, other } = house.organizations;
  const key = platform.admin_api_key;
  const answer = await house.ask("GET", `${me}?organization_id=${other.organization_id}`, { key });
  assert.equal(answer.status, 400);
  const byId = await house.ask("GET", `/v1/organizations/${other.organization_id}`, { key });
  assert.equal(byId.status, 404);
});

test("[ORG2] a name that is taken, in whatever case, is refused, and nothing is half done", async () => {
  const token = await unclaimed("Names are taken");
  for (const name of ["platform of the house", "PLATFORM of the House"]) {
    const sentence = sentenceOf(await claim(token, name), 409);
    assert.ok(sentence.includes(JSON.stringify(name)), sentence);
  }
  // The link is still good, and the name is as it was.
  const cookie = cookieFrom(await claim(token, "Names are free"));
  assert.equal((await house.ask("GET", me, { cookie })).body.name, "Names are free");
});

test("[ORG2] its own name in another case is not taken", async () => {
  const answer = await claim(await unclaimed("My own name"), "MY OWN NAME");
  assert.equal(answer.status, 200, JSON.stringify(answer.body));
  assert.equal(answer.body.organization.name, "MY OWN NAME");
});

test("[ORG2] two at once with one name: one is made", async () => {
  const outcomes = await Promise.allSettled([fresh("Twins"), fresh("twins"), fresh("TWINS")]);
  const lost = outcomes.filter(({ status }) => status === "rejected");
  assert.equal(lost.length, 2);
  for (const { reason } of lost as PromiseRejectedResult[])
    assert.match(String(reason), /the name "twins" is taken/i);
});

test("a name has 1 to 200 characters", async () => {
  const token = await unclaimed("Long names");
  for (const name of ["", "n".repeat(201)])
    assert.match(sentenceOf(await claim(token, name), 400), /^organization_name/);
  assert.equal((await claim(token, "n".repeat(200))).status, 200);
});

test("[ORG3] a new organization has exactly one default workspace", async () => {
  for (const tenant of Object.values(house.organizations)) {
    const { status, body } = await house.ask("GET", "/console/api/me", { cookie: tenant.cookie });
    assert.equal(status, 200);
    const workspaces = body.workspaces as Record<string, unknown>[];
    assert.deepEqual(
      workspaces.map(({ id, name, is_default }) => ({ id, name, is_default })),
      [{ id: tenant.workspace_id, name: "Default", is_default: true }],
    );
  }
});

test("[ORG4] a cloud organization has no administration routes besides workspaces", async () => {
  const { cloud } = house.organizations;
  const administration = routes.filter(
    ({ path }) =>
      path.startsWith("/v1/organizations/") && !path.startsWith("/v1/organizations/workspaces"),
  );
  assert.ok(administration.length >= 4);
  for (const { method, path } of administration)
    for (const ask of [
      { key: cloud.admin_api_key },
      { headers: { authorization: `Bearer ${cloud.oauth_access_token}` } },
      { cookie: cloud.cookie },
    ]) {
      const answer = await house.ask(method, path.replace(/\{\w+\}/, "some_id"), ask);
      assert.equal(answer.status, 404, `${method} ${path}`);
      assert.equal(answer.body.error.type, "not_found_error");
      assert.equal(answer.body.error.details.error_code, "organization_type_not_supported");
    }
});

test("[ORG4] an unknown caller learns nothing of what types there are", async () => {
  assert.equal((await house.ask("GET", me, { key: "sk-plinth-admin-nobody" })).status, 401);
  assert.equal((await house.ask("GET", me)).status, 401);
});
