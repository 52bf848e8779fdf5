// The pages of environments in light and dark, on a desk and on a phone: axe finds nothing, nothing sticks out.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { openHouse, type House } from "../house.ts";
import { fakeProbe } from "../rules/fake-probe.ts";
import { agentClient, button, dialogOn, type AgentClient } from "./agents.ts";
import { openBrowser, type Browsers } from "./browser.ts";
import { expectAccessible, expectFits, looks, open, openOwnerSession, picture } from "./person.ts";

let house: House;
let browser: Browsers;
let client: AgentClient;
let cloud: string;
let own: string;
before(async () => {
  [house, browser] = await Promise.all([openHouse(), openBrowser()]);
  client = agentClient(house);
  fakeProbe(house.world, { disk: "best_effort", kernel: "none" });
  const make = async (body: object): Promise<string> =>
    (await client.ask("POST", "/environments", body)).id;
  cloud = await make({
    name: "Data work",
    description: "Python with what our reports need, and nothing of the internet beside it.",
    metadata: { team: "reports" },
    config: {
      type: "cloud",
      networking: {
        type: "limited",
        allowed_hosts: ["api.example.com", "*.warehouse.example.com"],
        allow_package_managers: true,
      },
      packages: { pip: ["numpy==2.0", "pandas", "pyarrow"], apt: ["graphviz"] },
      sandbox: { guarantees: ["disk", "memory", "kernel"], memory_mib: 512 },
    },
  });
  await make({ name: "Anything goes" });
  own = await make({ name: "In the cellar", config: { type: "self_hosted" } });
  const keys = `/environments/${own}/keys`;
  await client.ask("POST", keys, { name: "worker 1" });
  const { id } = await client.ask("POST", keys, {});
  await client.ask("POST", `${keys}/${id}/revoke`);
  const old = await make({ name: "Last year's" });
  await client.ask("POST", `/environments/${old}/archive`);
});
after(async () => {
  await browser?.[Symbol.asyncDispose]();
  await house?.[Symbol.asyncDispose]();
});

const path = "/console/environments";

for (const { width, scheme } of looks) {
  test(`environments at ${width} pixels, ${scheme}`, async () => {
    await using session = await openOwnerSession(browser, house, { width, height: 844, scheme });
    const { page } = session;
    const look = async (name: string) => {
      await picture(page, `${name}-${width}-${scheme}`);
      await expectFits(page);
      await expectAccessible(page);
    };
    await open(page, house.url, `${path}?archived=shown`);
    await page.getByRole("link", { name: "Last year's" }).waitFor();
    await look("environments");
    await open(page, house.url, `${path}?new=environment`);
    await dialogOn(page).getByRole("radio", { name: "Only what is named" }).check();
    await dialogOn(page).getByLabel("Hosts", { exact: true }).fill("https://api.example.com");
    await dialogOn(page).locator("summary").first().click();
    await look("environment-new");
    await dialogOn(page).locator("summary").nth(1).click();
    await dialogOn(page).getByLabel("Most processors").fill("9000");
    await dialogOn(page).getByRole("alert").filter({ hasText: "At most" }).waitFor();
    await look("environment-new-sandbox");
    await open(page, house.url, `${path}/${cloud}`);
    await page.getByRole("table", { name: "Guarantees of sandboxes" }).waitFor();
    await look("environment");
    await open(page, house.url, `${path}/${own}`);
    await page.getByText(/^\d keys$/).waitFor();
    await look("environment-keys");
    await button(page, "Create key").click();
    await dialogOn(page).getByRole("button", { name: "Create key" }).click();
    await dialogOn(page).getByText("nobody can show it again").waitFor();
    await look("environment-secret");
    await dialogOn(page).getByLabel("I have stored this secret").check();
    await button(page, "Done").click();
    const { data } = await client.ask("GET", `/environments/${own}/keys`);
    await client.ask("POST", `/environments/${own}/keys/${data[0].id}/revoke`);
    assert.deepEqual(session.problems, []);
  });

  test(`no environment yet at ${width} pixels, ${scheme}`, async () => {
    const look = { width, height: 844, scheme };
    await using session = await openOwnerSession(browser, house, look, "enterprise");
    const { page } = session;
    await open(page, house.url, path);
    await page.getByText("No environments yet").waitFor();
    await picture(page, `environments-none-${width}-${scheme}`);
    await expectFits(page);
    await expectAccessible(page);
    assert.deepEqual(session.problems, []);
  });
}
