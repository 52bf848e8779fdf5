// The pages of skills in light and dark, on a desk and on a phone: axe finds nothing, nothing sticks out.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { openHouse, type House } from "../house.ts";
import { button, dialogOn } from "./agents.ts";
import { openBrowser, type Browsers } from "./browser.ts";
import {
  expectAccessible,
  expectFits,
  looks,
  open,
  openOwnerSession,
  picture,
  pick,
} from "./person.ts";
import { documentOf, dropFolder, path, sampleFolder, upload } from "./skills.ts";

let house: House;
let browser: Browsers;
let skill: string;
before(async () => {
  [house, browser] = await Promise.all([openHouse(), openBrowser()]);
  skill = await upload(house, sampleFolder);
  await upload(house, sampleFolder, skill);
  await upload(house, { "house-style/SKILL.md": documentOf("house-style", "How we write.") });
});
after(async () => {
  await browser?.[Symbol.asyncDispose]();
  await house?.[Symbol.asyncDispose]();
});

for (const { width, scheme } of looks) {
  test(`skills at ${width} pixels, ${scheme}`, async () => {
    await using session = await openOwnerSession(browser, house, { width, height: 844, scheme });
    const { page } = session;
    const look = async (name: string) => {
      await picture(page, `${name}-${width}-${scheme}`);
      await expectFits(page);
      await expectAccessible(page);
    };
    await open(page, house.url, path);
    await page.getByRole("link", { name: "house-style" }).waitFor();
    await look("skills");
    await button(page, "New skill").click();
    await button(page, "Choose a folder").waitFor();
    await look("skill-new");
    await dropFolder(page, { ...sampleFolder, "other/notes.md": "Notes." });
    await dialogOn(page).getByText("A skill is one folder").waitFor();
    await look("skill-refused");
    await open(page, house.url, `${path}/${skill}`);
    await page.getByRole("region", { name: "SKILL.md" }).waitFor();
    await look("skill");
    await pick(button(page, "More for this skill"), "Delete");
    await dialogOn(page).getByLabel(/^Type/).waitFor();
    await look("skill-delete");
    assert.deepEqual(session.problems, []);
  });

  test(`no skill yet at ${width} pixels, ${scheme}`, async () => {
    const look = { width, height: 844, scheme };
    await using session = await openOwnerSession(browser, house, look, "enterprise");
    const { page } = session;
    await open(page, house.url, path);
    await page.getByText("No skills yet").waitFor();
    await picture(page, `skills-none-${width}-${scheme}`);
    await expectFits(page);
    await expectAccessible(page);
    assert.deepEqual(session.problems, []);
  });
}
