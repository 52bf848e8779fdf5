// The pages of groups and roles: a journey of an owner, what others see, and their looks on desk and phone.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { sql } from "../../kernel/sql/statement.ts";
import { operator } from "../../server/audit/module.ts";
import * as groupsNoun from "../../server/groups/module.ts";
import { openHouse, type House, type Tenant } from "../house.ts";
import { groupsOf } from "../rules/groups-house.ts";
import { addMember, addSignedIn } from "../rules/members-house.ts";
import { dialogOn, row } from "./batches.ts";
import { goKeys, openBrowser, type Browsers } from "./browser.ts";
import {
  expectAccessible,
  expectFits,
  looks,
  open,
  openOwnerSession,
  picture,
  pick,
  select,
} from "./person.ts";

let house: House;
let browser: Browsers;
let enterprise: Tenant;
let pushed: string;
before(async () => {
  [house, browser] = await Promise.all([openHouse(), openBrowser()]);
  ({ enterprise } = house.organizations);
  pushed = await furnish();
});
after(async () => {
  await browser?.[Symbol.asyncDispose]();
  await house?.[Symbol.asyncDispose]();
});

/** A group of each kind, with members, and a role that gives owner access. */
async function furnish(): Promise<string> {
  const groups = groupsOf(house);
  const { organization_id: organizationId } = enterprise;
  const research = await groups.group(enterprise, "Research");
  const ada = await addMember(house, enterprise, {
    role: "managed",
    name: "Ada Lovelace",
    email: "ada@house.example",
  });
  const grace = await addMember(house, enterprise, {
    name: "Grace Hopper",
    email: "grace@house.example",
  });
  await groups.give(enterprise, research.id, ["rbac_role_everyday", "rbac_role_auditor"]);
  for (const { id } of [ada, grace]) await groups.join(enterprise, research.id, id);
  const platform = await groups.group(
    enterprise,
    `The people of the platform ${"and more ".repeat(15)}`,
  );
  await groups.give(enterprise, platform.id, [
    await groups.role(enterprise, ["permission_roles_write"]),
  ]);
  return house.world.db.tx(async (tx) => {
    const input = { name: "Everybody in Berlin", source: "scim" } as const;
    const group = await groupsNoun.createGroup(tx, house.world, operator, organizationId, input);
    const userIds = [ada.id];
    await groupsNoun.addMembers(tx, house.world, operator, { organizationId, group, userIds });
    await tx.query(sql`
      insert into identity_providers
        (organization_id, name, provisioning, controls_roles, controls_groups, updated_at)
      values (${organizationId}, 'Acme Directory', 'scim', false, true, now())`);
    return group.id;
  });
}

const seatOf = (look: Parameters<typeof openOwnerSession>[2] = { width: 1280, height: 844 }) =>
  openOwnerSession(browser, house, look, "enterprise");

test("an owner makes a role and a group, gives one to the other and adds somebody", async () => {
  await using session = await seatOf();
  const { page } = session;
  await addMember(house, enterprise, {
    role: "managed",
    name: "Alan Turing",
    email: "alan@house.example",
  });
  await open(page, house.url, "/console/roles");
  await page.getByRole("button", { name: "New role" }).click();
  const dialog = dialogOn(page);
  await dialog.getByLabel("Name", { exact: true }).fill("Batches for everybody");
  await dialog.getByLabel("Send batches of messages").check();
  await dialog
    .getByText("Gives: 1 capability. This role gives capabilities and no model")
    .waitFor();
  await select(dialog.getByLabel("Which models"), "model_access_all");
  await dialog.getByText("Gives: 1 capability, every model.").waitFor();
  await dialog.getByRole("button", { name: "Create role" }).click();
  await row(page, "Batches for everybody").getByText("1 capability, every model").waitFor();

  await dialog.waitFor({ state: "detached" });
  await goKeys(page, "r");
  await page.getByRole("heading", { level: 1, name: "Groups" }).waitFor();
  await page.keyboard.press("n");
  await dialog.getByLabel("Name").fill("Engineering");
  await dialog.getByRole("button", { name: "Create group" }).click();
  await page.getByRole("heading", { level: 1, name: "Engineering" }).waitFor();
  await page.getByText("Nobody is in this group").waitFor();
  await page.getByRole("button", { name: "Change roles" }).click();
  await dialog.getByLabel("Batches for everybody").check();
  await dialog.getByRole("button", { name: "Save roles" }).click();
  await page.getByRole("link", { name: "Batches for everybody" }).waitFor();
  await page.getByRole("button", { name: "Add member" }).click();
  await dialog.getByLabel("E-mail").fill("nobody@house.example");
  await dialog.getByRole("button", { name: "Add member" }).click();
  await dialog
    .getByText("Nobody in the organization has the address nobody@house.example")
    .waitFor();
  await dialog.getByLabel("E-mail").fill("alan@house.example");
  await dialog.getByRole("button", { name: "Add member" }).click();
  await row(page, "Alan Turing").getByText("Managed").waitFor();
  await page.getByRole("button", { name: "Remove Alan Turing" }).click();
  await dialog.getByText("stays a member of the organization").waitFor();
  await dialog.getByRole("button", { name: "Remove" }).click();
  await page.getByText("Nobody is in this group").waitFor();
  await pick(page.getByRole("button", { name: "Change Engineering" }), "Delete");
  await dialog.getByRole("button", { name: "Delete group" }).click();
  await page.getByRole("heading", { level: 1, name: "Groups" }).waitFor();
  await row(page, "Engineering").waitFor({ state: "detached" });
});

test("what the identity provider pushes is read only, but for its roles", async () => {
  await using session = await seatOf();
  const { page } = session;
  await open(page, house.url, `/console/groups/${pushed}`);
  await page.getByText("Acme Directory pushes this group").waitFor();
  await row(page, "Ada Lovelace").waitFor();
  assert.equal(
    await page.getByRole("button", { name: /Add member|Remove|^Change Everybody/ }).count(),
    0,
  );
  await page.getByRole("button", { name: "Change roles" }).waitFor();
});

test("a managed member sees what their groups open to them", async () => {
  const nobody = await addSignedIn(house, enterprise, "managed");
  const someone = await groupsOf(house).managed(enterprise, [
    "capability_files",
    "permission_groups_read",
  ]);
  await using session = await browser.openSession({ width: 1280, height: 844 });
  const { page } = session;
  // A cookie with this prefix is taken from a reply only, not from the driver.
  await page.setExtraHTTPHeaders({ cookie: nobody.cookie });
  await open(page, house.url, "/console/");
  await page.getByText("Nothing is open to you yet").waitFor();
  await expectAccessible(page);
  await picture(page, "overview-managed-nothing");
  await page.setExtraHTTPHeaders({ cookie: someone.cookie });
  await open(page, house.url, "/console/");
  const links = page.getByRole("main").getByRole("link");
  assert.deepEqual(await links.allTextContents(), ["Files", "Groups", "Roles"]);
  await picture(page, "overview-managed");
  await open(page, house.url, "/console/groups");
  await row(page, "Research").waitFor();
  assert.equal(await page.getByRole("button", { name: "New group" }).count(), 0);
});

for (const { width, scheme } of looks) {
  test(`groups and roles at ${width} pixels, ${scheme}`, async () => {
    await using session = await seatOf({ width, height: 844, scheme });
    const { page } = session;
    const look = async (name: string) => {
      await picture(page, `${name}-${width}-${scheme}`);
      await expectFits(page);
      await expectAccessible(page);
    };
    await open(page, house.url, "/console/groups");
    await row(page, "Research").waitFor();
    await look("groups");
    await page.getByRole("link", { name: "Research" }).click();
    await row(page, "Grace Hopper").waitFor();
    await look("group");
    await page.getByRole("button", { name: "Change roles" }).click();
    await dialogOn(page).getByLabel("Auditor").waitFor();
    await look("group-roles");
    await open(page, house.url, `/console/groups/${pushed}`);
    await row(page, "Ada Lovelace").waitFor();
    await look("group-pushed");
    await open(page, house.url, "/console/roles");
    await row(page, "Auditor").waitFor();
    await look("roles");
    await page.getByRole("button", { name: "Auditor", exact: true }).click();
    await dialogOn(page).getByRole("link", { name: "Research" }).waitFor();
    await look("role");
    await open(page, house.url, "/console/roles");
    await page.getByRole("button", { name: "New role" }).click();
    await dialogOn(page).getByLabel("Read the audit log").waitFor();
    await look("role-new");
  });
}
