// Skills in a real browser: folders and archives are uploaded, refused ones are told why, versions read and deleted.
import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { after, before, test } from "node:test";
import { writeZip } from "../../kernel/archive/zip-writer.ts";
import { openHouse, type House } from "../house.ts";
import { agentClient, button, dialogOn, heading, type AgentClient } from "./agents.ts";
import { openBrowser, type Browsers } from "./browser.ts";
import { open, openMenu, openOwnerSession, pick, select } from "./person.ts";
import { documentOf, dropFolder, path, sampleFolder, upload } from "./skills.ts";

let house: House;
let browser: Browsers;
let client: AgentClient;
before(async () => {
  [house, browser] = await Promise.all([openHouse(), openBrowser()]);
  client = agentClient(house);
});
after(async () => {
  await browser?.[Symbol.asyncDispose]();
  await house?.[Symbol.asyncDispose]();
});

test("a folder is dropped, looked at and uploaded; its page shows SKILL.md and its files", async () => {
  await using session = await openOwnerSession(browser, house);
  const { page } = session;
  const dialog = dialogOn(page);
  await open(page, house.url, path);
  await page.getByText("No skills yet").waitFor();
  await dropFolder(page, { ...sampleFolder, "pdf-forms/.DS_Store": "x" });
  await dialog.getByText("pdf-forms/scripts/fill.py").waitFor();
  await dialog.getByText("3 files").waitFor();
  await dialog.getByLabel("Shown as").fill("PDF forms");
  await button(page, "Upload").click();
  await heading(page, "PDF forms").waitFor();
  await page.getByText("Use it when a form is to be read or filled.").first().waitFor();
  const text = page.getByRole("region", { name: "SKILL.md" });
  assert.equal(await text.innerText(), sampleFolder["pdf-forms/SKILL.md"]);
  const files = page.getByRole("list", { name: "Files" }).getByRole("listitem");
  assert.equal(await files.count(), 3);
  await page.getByText("3 files, ").waitFor();
  assert.deepEqual(session.problems, []);
});

test("a folder is chosen; what is none is told before it is sent, and what the server refuses after", async () => {
  const home = mkdtempSync(join(tmpdir(), "skills-"));
  const write = (name: string, text: string) => {
    mkdirSync(dirname(join(home, name)), { recursive: true });
    writeFileSync(join(home, name), text);
  };
  write("letters/notes.md", "No front matter here.");
  await using session = await openOwnerSession(browser, house);
  const { page } = session;
  const dialog = dialogOn(page);
  await open(page, house.url, `${path}?new=skill`);
  const folder = dialog.getByLabel("Folder of the skill");
  await folder.setInputFiles(join(home, "letters"));
  await dialog.getByRole("alert").filter({ hasText: "no SKILL.md right in letters" }).waitFor();
  assert.equal(await button(page, "Upload").isDisabled(), true);
  const alone = { name: "SKILL.md", mimeType: "text/markdown", buffer: Buffer.from("x") };
  await dialog.getByLabel("Archive of the skill").setInputFiles(alone);
  await dialog.getByRole("alert").filter({ hasText: "one file alone" }).waitFor();
  write("letters/SKILL.md", "No front matter here.");
  await folder.setInputFiles(join(home, "letters"));
  await button(page, "Upload").click();
  await dialog.getByRole("alert").filter({ hasText: "SKILL.md" }).waitFor();
  assert.equal(await dialog.getByText("Request req_").count(), 0);
  write("letters/SKILL.md", documentOf("letters", "How we write letters."));
  await folder.setInputFiles(join(home, "letters"));
  await button(page, "Upload").click();
  await heading(page, "letters").waitFor();
  await session.expect(/status of 400/, 1);
  assert.deepEqual(session.problems, []);
});

test("a zip becomes a new version; old ones are read, downloaded and deleted, the last one is not", async () => {
  const skill = await upload(house, {
    "notes/SKILL.md": documentOf("notes", "Keeps notes.", "The first way.\n"),
  });
  const zip = await writeZip([
    {
      path: "notes/SKILL.md",
      bytes: Buffer.from(
        documentOf("notes", "Keeps better notes.", "The second way.\n".repeat(50)),
      ),
      isExecutable: false,
    },
  ]);
  await using session = await openOwnerSession(browser, house);
  const { page } = session;
  const dialog = dialogOn(page);
  await open(page, house.url, `${path}/${skill}`);
  const versions = page.getByRole("table", { name: "Versions" });
  await page.getByText("1 version", { exact: true }).waitFor();
  await openMenu(versions.getByRole("button", { name: /^Change the version/ }));
  assert.equal(await page.getByRole("menuitem", { name: "Delete version" }).count(), 0);
  await page.keyboard.press("Escape");
  await button(page, "New version").click();
  const archive = { name: "notes.zip", mimeType: "application/zip", buffer: zip };
  await dialog.getByLabel("Archive of the skill").setInputFiles(archive);
  await button(page, "Upload").click();
  await page.getByText("2 versions", { exact: true }).waitFor();
  const text = page.getByRole("region", { name: "SKILL.md" });
  await text.getByText("The second way.").waitFor();
  await versions.getByRole("row").filter({ hasText: "Keeps notes." }).getByRole("link").click();
  await text.getByText("The first way.").waitFor();
  await page.getByText("There is a newer one").waitFor();

  const old = versions.getByRole("row").filter({ hasText: "Keeps notes." });
  const [file] = await Promise.all([
    page.waitForEvent("download"),
    pick(old.getByRole("button"), "Download"),
  ]);
  assert.equal(file.suggestedFilename(), "notes.zip");
  assert.equal(
    readFileSync(await file.path())
      .subarray(0, 2)
      .toString(),
    "PK",
  );
  await pick(old.getByRole("button"), "Delete version");
  await button(page, "Delete the version").click();
  await page.getByText("1 version", { exact: true }).waitFor();
  await text.getByText("The second way.").waitFor();

  await pick(button(page, "More for this skill"), "Delete");
  await dialog.getByLabel("Type notes to go on").fill("notes");
  await button(page, "Delete the skill").click();
  await heading(page, "Skills").waitFor();
  await page.getByLabel("Search name or id").fill(skill);
  await page.getByText("No skill fits").waitFor();
  assert.deepEqual(session.problems, []);
});

test("an agent takes a skill of the workspace, and later its newer version", async () => {
  const folder = { "maps/SKILL.md": documentOf("maps", "Reads maps.") };
  const skill = await upload(house, folder);
  const agent = await client.make({ name: "Guide" });
  await using session = await openOwnerSession(browser, house);
  const { page } = session;
  await open(page, house.url, `/console/agents/${agent.id}/edit`);
  await select(page.getByLabel("Add a skill"), skill);
  await button(page, "Save version 2").click();
  await page.getByRole("link", { name: "maps" }).waitFor();
  const [first] = (await client.read(agent.id)).skills;
  assert.equal(first?.skill_id, skill);
  await upload(house, { "maps/SKILL.md": documentOf("maps", "Reads maps of any kind.") }, skill);
  await open(page, house.url, `/console/agents/${agent.id}/edit`);
  await page.getByText("An older version").waitFor();
  await button(page, "Take the newest").click();
  await page.getByText("The newest version").waitFor();
  await button(page, "Save version 3").click();
  await page.getByRole("link", { name: "maps" }).waitFor();
  const [second] = (await client.read(agent.id)).skills;
  assert.notEqual(second?.version, first?.version);
  assert.deepEqual(session.problems, []);
});
