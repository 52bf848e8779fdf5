// What the page of an environment shows of its packages: waiting, installing, installed, failed.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { sql } from "../../kernel/sql/statement.ts";
import { layerName, packagesOf } from "../../server/sessions/packages/managers.ts";
import { openHouse, type House } from "../house.ts";
import { fakeProbe } from "../rules/fake-probe.ts";
import { agentClient } from "./agents.ts";
import { openBrowser, type Browsers } from "./browser.ts";
import { expectAccessible, expectFits, open, openOwnerSession, picture } from "./person.ts";

let house: House;
let browser: Browsers;
before(async () => {
  [house, browser] = await Promise.all([openHouse(), openBrowser()]);
  fakeProbe(house.world, {});
});
after(async () => {
  await browser?.[Symbol.asyncDispose]();
  await house?.[Symbol.asyncDispose]();
});

/** As a machine would have told of it. */
async function tell(name: string, host: string, state: string, words: string | null) {
  await house.world.db.tx((tx) =>
    tx.query(sql`
      insert into package_layers (id, host_id, name, state, manager, words, bytes, asked_at, began_at,
        ended_at, used_at, lease_owner, lease_until)
      values (${`${host}/${name}`}, ${host}, ${name}, ${state}, 'npm', ${words}, 12345678, now(), now(),
        now(), now(), 'a', now() + interval '1 hour')
      on conflict (id) do update set state = excluded.state, words = excluded.words`),
  );
}

for (const scheme of ["light", "dark"] as const)
  test(`packages of an environment wait, are installed, and fail, ${scheme}`, async () => {
    const client = agentClient(house);
    const environment = await client.ask("POST", "/environments", {
      name: "Reports",
      config: { type: "cloud", packages: { npm: [`left-pad@${scheme}`] } },
    });
    const name = layerName(house.world, packagesOf(environment.config) ?? assert.fail());
    await using session = await openOwnerSession(browser, house, {
      width: 390,
      height: 844,
      scheme,
    });
    const { page } = session;
    const look = async (what: string) => {
      await picture(page, `environment-packages-${what}-${scheme}`);
      await expectFits(page);
      await expectAccessible(page);
    };
    await open(page, house.url, `/console/environments/${environment.id}`);
    await page.getByText("Waiting: they are installed when").waitFor();
    await tell(name, "host_one", "building", "http fetch GET 200 left-pad");
    const list = page.getByRole("list", { name: "Installed packages" });
    await list.getByText("npm: http fetch GET 200 left-pad").waitFor();
    await look("building");
    await tell(name, "host_one", "built", null);
    await list.getByText("12.3 MB").waitFor();
    assert.equal(await list.getByText("host_one").count(), 0, "one machine needs no name");
    await tell(name, "host_two", "failed", "npm could not.\nIt said last:\nE404 left-pad");
    await list.getByText("E404 left-pad").waitFor();
    await list.getByText("host_one").waitFor();
    await look("failed");
    const plain = await client.ask("POST", "/environments", { name: "Plain" });
    await open(page, house.url, `/console/environments/${plain.id}`);
    await page.getByRole("heading", { name: "Refused connections" }).waitFor();
    assert.equal(await page.getByText("Installed packages").count(), 0);
    assert.deepEqual(session.problems, []);
  });
