// Workspaces, their members and API keys as the unchanged client manages them, in both namespaces.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import Anthropic from "@anthropic-ai/sdk";
import { openHouse, type House } from "../house.ts";
import { limits } from "../../server/keys/limits.ts";
import { sql } from "../../kernel/sql/statement.ts";
import { makeKey } from "../rules/support.ts";
import { makePerson } from "../rules/workspaces-house.ts";
import { failing } from "./messages-client.ts";

let house: House;
before(async () => {
  house = await openHouse();
});
after(() => house[Symbol.asyncDispose]());

type Organization = Anthropic["organization"];

const namespaces: Record<string, (client: Anthropic) => Organization> = {
  "client.organization": (client) => client.organization,
  // The shapes are the same; the names of their types are not.
  "client.beta.organization": (client) => client.beta.organization as unknown as Organization,
};

const tenants = ["platform", "other"] as const;
const clientOf = (tenant: "platform" | "other" | "cloud") =>
  new Anthropic({
    apiKey: house.organizations[tenant].admin_api_key,
    baseURL: house.url,
    maxRetries: 0,
  });
const ids = async (list: AsyncIterable<{ id: string }>) => {
  const seen: string[] = [];
  for await (const { id } of list) seen.push(id);
  return seen;
};

for (const [at, [name, of]] of Object.entries(namespaces).entries()) {
  const tenant = tenants[at] ?? "platform";

  test(`${name}.workspaces: create, retrieve, update, list, archive`, async () => {
    const { workspaces } = of(clientOf(tenant));
    const made = await workspaces.create({
      name: "Search",
      data_residency: { allowed_inference_geos: ["us"], default_inference_geo: "us" },
      display_color: "#0E8A6A",
      tags: { team: "relevance" },
    });
    assert.deepEqual(
      { ...made },
      {
        id: made.id,
        type: "workspace",
        name: "Search",
        created_at: made.created_at,
        archived_at: null,
        compartment_id: made.compartment_id,
        data_residency: {
          allowed_inference_geos: ["us"],
          default_inference_geo: "us",
          workspace_geo: "us",
        },
        display_color: "#0E8A6A",
        external_key_id: null,
        tags: { team: "relevance" },
        user_profile_id: null,
      },
    );
    assert.deepEqual({ ...(await workspaces.retrieve(made.id)) }, { ...made });
    const changed = await workspaces.update(made.id, {
      name: "Find",
      tags: { team: null, area: "index" },
      data_residency: { allowed_inference_geos: "unrestricted" },
    });
    assert.deepEqual([changed.name, changed.tags], ["Find", { area: "index" }]);
    const [second, third] = [
      await workspaces.create({ name: "Second", data_residency: null, tags: null }),
      await workspaces.create({ name: "Third" }),
    ];
    assert.deepEqual(await ids(workspaces.list({ limit: 1 })), [third.id, second.id, made.id]);
    const before = await workspaces.list({ before_id: made.id, limit: 1 });
    assert.deepEqual(await ids(before), [second.id, third.id]);
    const archived = await workspaces.archive(second.id);
    assert.ok(archived.archived_at);
    const { workspace_id: home } = house.organizations[tenant];
    assert.deepEqual(
      await ids(workspaces.list({ ids: [second.id, made.id, home], include_default: true })),
      [made.id, home],
    );
    const whole = await ids(workspaces.list({ include_archived: true, include_default: true }));
    assert.deepEqual(whole, [third.id, second.id, made.id, home]);
    await failing(Anthropic.BadRequestError, workspaces.archive(home));
    await failing(
      Anthropic.BadRequestError,
      workspaces.create({ name: "K", external_key_id: "e" }),
    );
    await failing(Anthropic.NotFoundError, workspaces.retrieve("wrkspc_none"));
  });

  test(`${name}.workspaces.members: add, retrieve, update, list, remove`, async () => {
    const { workspaces } = of(clientOf(tenant));
    const { id: workspace_id } = await workspaces.create({ name: "Staffed" });
    const people = [
      await makePerson(house, house.organizations[tenant]),
      await makePerson(house, house.organizations[tenant]),
    ];
    const [first, second] = people.map(({ id }) => id) as [string, string];
    for (const user_id of [first, second])
      await workspaces.members.add(workspace_id, { user_id, workspace_role: "workspace_user" });
    const member = { type: "workspace_member", user_id: first, workspace_id } as const;
    const updated = await workspaces.members.update(first, {
      workspace_id,
      workspace_role: "workspace_billing",
    });
    assert.deepEqual({ ...updated }, { ...member, workspace_role: "workspace_billing" });
    assert.deepEqual(
      { ...(await workspaces.members.retrieve(first, { workspace_id })) },
      { ...updated },
    );
    const seen: string[] = [];
    for await (const { user_id } of workspaces.members.list(workspace_id, { limit: 1 }))
      seen.push(user_id);
    assert.deepEqual(seen, [second, first]);
    const removed = await workspaces.members.remove(first, { workspace_id });
    assert.deepEqual(
      { ...removed },
      { type: "workspace_member_deleted", user_id: first, workspace_id },
    );
    await failing(Anthropic.NotFoundError, workspaces.members.retrieve(first, { workspace_id }));
  });

  test(`${name}.apiKeys: list, retrieve, update`, async () => {
    const { apiKeys, workspaces } = of(clientOf(tenant));
    const { id: workspace_id } = await workspaces.create({ name: "Keys" });
    const more = { kind: "api", workspace_id };
    const keys = [
      await makeKey(house, house.organizations[tenant], more),
      await makeKey(house, house.organizations[tenant], more),
    ];
    const [first, second] = keys.map(({ id }) => id) as [string, string];
    assert.deepEqual(await ids(apiKeys.list({ workspace_id, limit: 1 })), [second, first]);
    const one = await apiKeys.retrieve(first);
    assert.deepEqual(one.scope, { type: "workspace", workspace_id });
    assert.deepEqual([one.principal, one.expires_at, one.created_by?.type], [null, null, "user"]);
    const asleep = await apiKeys.update(first, { status: "inactive", name: null });
    assert.deepEqual({ ...asleep }, { ...one, status: "inactive" });
    assert.deepEqual(await ids(apiKeys.list({ workspace_id, status: "inactive" })), [first]);
    const maker = one.created_by?.id ?? "";
    const mine = await ids(apiKeys.list({ workspace_id, created_by_user_id: maker }));
    assert.deepEqual(mine, [second, first]);
    await house.world.db.tx((tx) =>
      tx.query(sql`
        insert into keys (id, organization_id, workspace_id, kind, name, secret_sha256, hint, scopes,
                          status, created_at)
        select ${`apikey_${workspace_id}_`} || n, ${house.organizations[tenant].organization_id},
               ${workspace_id}, 'api', 'Many', sha256((${workspace_id} || n)::bytea), 'hint', '{}',
               'active', now()
        from generate_series(1, ${limits.keysPerWorkspaceMax - 1}::int) as n`),
    );
    const full = await failing(
      Anthropic.BadRequestError,
      apiKeys.update(first, { status: "active" }),
    );
    assert.equal(full.constructor.name, "WorkspaceAPIKeyLimitExceededError");
    await apiKeys.update(second, { status: "archived" });
    assert.equal((await apiKeys.update(first, { status: "active" })).status, "active");
  });
}

test("a cloud organization has its workspaces, and members in them", async () => {
  const { organization } = clientOf("cloud");
  const { id } = await organization.workspaces.create({ name: "Cloud" });
  assert.deepEqual(await ids(organization.workspaces.list()), [id]);
  assert.deepEqual(await ids(organization.workspaces.members.list(id) as never), []);
  await failing(Anthropic.NotFoundError, organization.apiKeys.list());
});
