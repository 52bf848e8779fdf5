// Rules GRP9 to GRP11, GRP13, GRP14 and GRP17, over HTTP: what roles hold, who makes them, and scopes of admin keys.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { routes } from "../../server/app.ts";
import { actions } from "../../server/groups/roles/actions.ts";
import { permissionsOfRole } from "../../server/identity/module.ts";
import { openHouse, type Answer, type House, type Tenant } from "../house.ts";
import { beta, groupsOf } from "./groups-house.ts";
import { addSignedIn } from "./members-house.ts";

let house: House;
let enterprise: Tenant;
before(async () => {
  house = await openHouse();
  ({ enterprise } = house.organizations);
});
after(() => house[Symbol.asyncDispose]());

const api = (path: string) =>
  house.ask("GET", `/v1/organizations/rbac_roles${path}`, {
    key: enterprise.admin_api_key,
    headers: beta,
  });
const inConsole = (method: string, path: string, body?: object): Promise<Answer> =>
  groupsOf(house).inConsole(enterprise, method, path, body && { body });
const held = async (id: string): Promise<string[]> => {
  const { body } = await api(`/${id}/permissions?limit=1000`);
  const resource = { type: "organization", organization_id: enterprise.organization_id };
  for (const row of body.data)
    assert.deepEqual(row, { type: "rbac_role_permission", action: row.action, resource });
  return body.data.map(({ action }: { action: string }) => action);
};
const refused = ({ status, body }: Answer, wanted: number, words: RegExp) => {
  assert.equal(status, wanted, JSON.stringify(body));
  assert.match(body.error.message, words);
};

test("[GRP10] a role holds what this server knows, and models by their id", async () => {
  const actions = ["permission_audit_read", "capability_files", "model_access:a/model.of-later:1"];
  const made = await inConsole("POST", "rbac_roles", { display_name: " Files ", actions });
  assert.equal(made.status, 200, JSON.stringify(made.body));
  const { id, display_name, source } = made.body;
  assert.match(id, /^rbac_role_/);
  assert.deepEqual([display_name, source], ["Files", { type: "custom" }]);
  assert.deepEqual(await held(id), actions.toSorted());
  const { description, actions: _, grants_owner_access, ...role } = made.body;
  assert.deepEqual([description, grants_owner_access], ["", false]);
  assert.deepEqual((await api(`/${id}`)).body, role);
  for (const action of [
    "files:use",
    "capability_",
    "capability_nothing",
    "model_access:",
    "model_access:a b",
    "constructor",
  ])
    refused(
      await inConsole("POST", "rbac_roles", { display_name: "No", actions: [action] }),
      400,
      /^actions: .* no action/,
    );
  for (const display_name of [" ", "two\nlines"])
    refused(
      await inConsole("POST", "rbac_roles", { display_name, actions }),
      400,
      /^display_name: /,
    );
  const words = (await inConsole("GET", "rbac_actions")).body.data as Record<string, unknown>[];
  const known = words.map(({ action }) => action);
  assert.equal(new Set(known).size, known.length);
  for (const word of words) {
    const variant = /^(capability|model_access|permission)_/.exec(
      `${String(word["action"])}_`,
    )?.[1];
    assert.equal(word["variant"], variant);
  }
});

/** What no role gives: one's own account, the numbers of the house, and what belongs to the whole installation. */
const ungiven = new Set([
  // Workers do this, with keys of their environments.
  "work:run",
  "console:use",
  "organization:read",
  "models:write",
  "ownership:transfer",
  "admin_keys:scope",
]);

test("[GRP10] for every route of enterprise organizations there is an action, or a reason", () => {
  const given = new Set(actions.flatMap(({ permissions }) => permissions));
  for (const { operation, permission, organizations } of routes) {
    if (permission === null || ungiven.has(permission)) continue;
    if (organizations?.includes("enterprise") === false) continue;
    assert.ok(given.has(permission), `${operation}: no action of a role gives ${permission}`);
  }
});

test("[GRP10] the document names every action and what it gives", () => {
  const text = readFileSync(join(import.meta.dirname, "../../docs/ORGANIZATION.md"), "utf8");
  for (const { action, gives, permissions, isOwners } of actions) {
    const words = permissions.map((permission) => `\`${permission}\``).join(", ");
    const row = `| \`${action}\` | ${gives}${isOwners ? " (owner access)" : ""} | ${words} |`;
    assert.ok(text.includes(row), `docs/ORGANIZATION.md lacks the row: ${row}`);
  }
});

test("[GRP9] what owners have and administrators lack gives owner access", () => {
  const of = (role: "owner" | "admin") => permissionsOfRole(role, "enterprise");
  const isOwners = (permission: string) =>
    of("owner").has(permission) && !of("admin").has(permission);
  for (const { action, permissions, isOwners: marked } of actions)
    assert.equal(marked === true, permissions.some(isOwners), action);
});

test("[GRP11] a blanket stands alone in its variant, and is listed as one row", async () => {
  const blanket = "capability_access_all";
  const beside = ["model_access_all", "permission_usage_read"];
  const id = await groupsOf(house).role(enterprise, [blanket, ...beside]);
  assert.deepEqual(await held(id), [blanket, ...beside]);
  const mixed = [
    [blanket, "capability_files"],
    ["capability_batches", "capability_access_all_ga"],
    [blanket, "capability_access_all_ga"],
    ["model_access_all", "model_access:sim-small"],
  ];
  for (const actions of mixed)
    refused(await inConsole("POST", `rbac_roles/${id}`, { actions }), 400, /leave one out/);
  assert.deepEqual(await held(id), [blanket, ...beside]);
  assert.deepEqual(await held("rbac_role_everyday"), [
    "capability_access_all_ga",
    "model_access_all",
  ]);
});

test("[GRP11] what a role holds is paged, in one order", async () => {
  const actions = ["capability_batches", "capability_files", "permission_audit_read"];
  const id = await groupsOf(house).role(enterprise, actions);
  const seen: string[] = [];
  let next: string | null = "";
  while (next !== null) {
    const { body }: Answer = await api(`/${id}/permissions?limit=2${next && `&page=${next}`}`);
    seen.push(...body.data.map(({ action }: { action: string }) => action));
    next = body.next_page;
  }
  assert.deepEqual(seen, actions);
});

test("[GRP13] whoever may write roles says which a group has, and nobody else", async () => {
  const { id } = await groupsOf(house).group(enterprise);
  const path = `/console/api/rbac_groups/${id}/roles`;
  const body = { role_ids: ["rbac_role_auditor", "rbac_role_everyday"] };
  const admin = await addSignedIn(house, enterprise, "admin");
  const { key } = { key: enterprise.admin_api_key };
  assert.equal((await house.ask("POST", path, { key, body })).status, 403);
  assert.equal((await house.ask("POST", path, { cookie: admin.cookie, body })).status, 403);
  const given = await groupsOf(house).managed(enterprise, ["permission_roles_write"]);
  const set = await house.ask("POST", path, { cookie: given.cookie, body });
  assert.equal(set.status, 200);
  assert.deepEqual(set.body.role_ids, body.role_ids);
  const holders = await inConsole("GET", "rbac_roles/rbac_role_auditor/groups");
  assert.deepEqual(holders.body.data, [
    { id, type: "rbac_group", name: "Engineering", source_type: "direct" },
  ]);
  assert.equal(holders.body.has_more, false);
  refused(
    await house.ask("POST", path, {
      cookie: enterprise.cookie,
      body: { role_ids: ["rbac_role_x"] },
    }),
    404,
    /no RBAC role/,
  );
});

test("[GRP14] built-in roles stay; a role in use is not deleted; a name belongs to one role", async () => {
  const listed = (await api("?limit=1000")).body.data as { id: string; source: { type: string } }[];
  const builtIn = listed.filter(({ source }) => source.type === "built_in").map(({ id }) => id);
  assert.deepEqual(builtIn, ["rbac_role_everyday", "rbac_role_everything", "rbac_role_auditor"]);
  assert.deepEqual(
    listed.slice(0, 3).map(({ id }) => id),
    builtIn,
  );
  for (const id of builtIn) {
    refused(await inConsole("POST", `rbac_roles/${id}`, { display_name: "Ours" }), 400, /built in/);
    refused(await inConsole("DELETE", `rbac_roles/${id}`), 400, /built in/);
  }
  const made = await inConsole("POST", "rbac_roles", {
    display_name: "One",
    actions: ["capability_files"],
  });
  const { id } = made.body;
  const again = { display_name: "ONE", actions: ["capability_files"] };
  refused(await inConsole("POST", "rbac_roles", again), 409, /^display_name: /);
  const other = await groupsOf(house).role(enterprise, ["capability_files"]);
  refused(
    await inConsole("POST", `rbac_roles/${other}`, { display_name: "one" }),
    409,
    /^display_name: /,
  );
  const group = await groupsOf(house).group(enterprise, "Holders");
  await groupsOf(house).give(enterprise, group.id, [id]);
  refused(await inConsole("DELETE", `rbac_roles/${id}`), 400, /held by the group Holders/);
  await groupsOf(house).give(enterprise, group.id, []);
  assert.deepEqual((await inConsole("DELETE", `rbac_roles/${id}`)).body, {
    id,
    type: "rbac_role_deleted",
  });
  refused(await api(`/${id}`), 404, /no RBAC role/);
});

test("[GRP17] a scoped admin key is told which scope a route wants", async () => {
  const wants = [
    ["GET", "users", "read:members or read:org_audit"],
    ["GET", "rbac_groups", "read:rbac_groups or read:org_audit"],
    ["POST", "rbac_groups", "write:rbac_groups"],
    ["GET", "rbac_roles", "read:members or read:org_audit"],
  ] as const;
  const body = { name: "Analytics", kind: "admin", scopes: ["read:analytics"] };
  const { cookie } = enterprise;
  const made = await house.ask("POST", "/console/api/keys", { cookie, body });
  assert.equal(made.status, 200, JSON.stringify(made.body));
  for (const [method, noun, scope] of wants) {
    const asking = { key: made.body.secret, headers: beta };
    const answer = await house.ask(method, `/v1/organizations/${noun}`, asking);
    refused(answer, 403, new RegExp(`an admin key with the scope ${scope}[,.]`));
  }
});
