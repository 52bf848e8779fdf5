// What a session's page shows of what its sandbox waits for: repositories to be cloned, packages to be installed.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { sql } from "../../kernel/sql/statement.ts";
import { hostIdOf } from "../../server/sandboxes/module.ts";
import { sandboxesPart } from "../../server/sessions/module.ts";
import { layerName, packagesOf } from "../../server/sessions/packages/managers.ts";
import { openHouse, type House } from "../house.ts";
import { computer, said } from "../rules/sessions-house.ts";
import { agentClient } from "./agents.ts";
import { openBrowser, type Browsers } from "./browser.ts";
import { expectAccessible, expectFits, looks, open, openOwnerSession, picture } from "./person.ts";
import { button, path, sessionCalls, statusOf, transcript } from "./sessions.ts";

let house: House;
let browser: Browsers;
let fault: string | undefined;
const calls = sessionCalls(() => house);
before(async () => {
  [house, browser] = await Promise.all([openHouse(), openBrowser()]);
  fault = await sandboxesPart.of(house.world).fault();
});
after(async () => {
  await browser?.[Symbol.asyncDispose]();
  await house?.[Symbol.asyncDispose]();
});

const bash = (command: string) => `[[tool bash ${JSON.stringify({ command })}]]`;
const builder = async () => (await calls.agent({ name: "Builder", tools: [computer()] })).id;

for (const { width, scheme } of looks) {
  const look = async (page: Parameters<typeof picture>[0], name: string) => {
    await picture(page, `${name}-${width}-${scheme}`);
    await expectFits(page);
    await expectAccessible(page);
  };

  test(`a repository that is not cloned says so where it is listed, at ${width} pixels, ${scheme}`, async (t) => {
    if (fault !== undefined) return t.skip(fault);
    await using session = await openOwnerSession(browser, house, { width, height: 844, scheme });
    const { page } = session;
    const repository = { type: "github_repository", url: "https://127.0.0.1:1/owner/closed" };
    const { id } = await calls.begin({
      agent: await builder(),
      environment_id: (await calls.environment("cloud")).id,
      resources: [repository],
    });
    await open(page, house.url, `${path}/${id}`);
    const given = page.getByRole("list", { name: "What it was given" });
    await given.getByText("Cloned when a tool is first used").waitFor();
    await calls.turn(id, said(bash("true")));
    await given.getByText("Not cloned", { exact: true }).waitFor();
    await given.getByText("allow_private_addresses").waitFor();
    assert.equal(await page.getByText("What of its files was not kept as written").count(), 0);
    await given.scrollIntoViewIfNeeded();
    await look(page, "session-not-cloned");
    await house.world.db.tx((tx) =>
      tx.query(sql`update session_resources set cloned_host_id = 'h' where session_id = ${id}`),
    );
    await open(page, house.url, `${path}/${id}`);
    await given.getByText("Cloned", { exact: true }).waitFor();
    assert.equal(await given.getByText("Not cloned").count(), 0);
    assert.deepEqual(session.problems, []);
  });

  test(`a call that waits for packages shows how far they are, at ${width} pixels, ${scheme}`, async (t) => {
    if (fault !== undefined) return t.skip(fault);
    await using session = await openOwnerSession(browser, house, { width, height: 844, scheme });
    const { page } = session;
    const environment = await agentClient(house).ask("POST", "/environments", {
      name: "Reports",
      config: { type: "cloud", packages: { npm: [`left-pad@${width}-${scheme}`] } },
    });
    const name = layerName(house.world, packagesOf(environment.config) ?? assert.fail());
    const host = hostIdOf(house.world);
    // As another process of this machine tells of it, which installs them.
    await house.world.db.tx((tx) =>
      tx.query(sql`
        insert into package_layers (id, host_id, name, state, manager, words, bytes, asked_at, began_at, used_at,
          lease_owner, lease_until)
        values (${`${host}/${name}`}, ${host}, ${name}, 'building', 'npm', 'http fetch GET 200 left-pad', 0, now(), now(),
          now(), 'other', now() + interval '1 hour')`),
    );
    const { id } = await calls.begin({ agent: await builder(), environment_id: environment.id });
    await calls.send(id, said(bash("true")));
    await open(page, house.url, `${path}/${id}`);
    const shown = transcript(page);
    await shown.getByText("npm: http fetch GET 200 left-pad").waitFor();
    await shown.getByText("The packages of its environment are being installed").waitFor();
    await look(page, "session-waits-for-packages");
    await button(page, "Interrupt bash").click();
    await statusOf(page, "Idle").waitFor();
    assert.equal(await shown.getByText("left-pad").count(), 0);
    assert.deepEqual(session.problems, []);
  });
}
