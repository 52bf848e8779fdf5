// `plinth skills`: folders packed and unpacked, for people and for programs.
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { chmodSync, existsSync, readdirSync, readFileSync, statSync, symlinkSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { remove } from "../../cli/skills/write.ts";
import { CliError } from "../../cli/terminal.ts";
import type { Skill } from "../../contract/types.ts";
import { document, skillsOf, zipOf } from "../rules/skills-house.ts";
import { openFlakyProxy } from "./flaky-proxy.ts";
import { expectSentence } from "./memory.ts";
import { openWorkspaceCommands, type WorkspaceCommands } from "./workspace-commands.ts";

let skills: WorkspaceCommands;
before(async () => {
  skills = await openWorkspaceCommands("skills");
});
after(async () => {
  await skills?.[Symbol.asyncDispose]();
});

const kept = skillsOf(() => skills.house);
const path = (...steps: string[]) => join(skills.directory, ...steps);
const refused = async (code: number, sentence: RegExp, ...words: string[]) =>
  expectSentence(await skills.run(...words), code, sentence);

/** A folder with SKILL.md in it. */
function folder(name: string, text = "", more: Record<string, string> = {}): string {
  skills.file(`${name}/SKILL.md`, document(name, `Fills ${name}.`, text));
  for (const [file, content] of Object.entries(more)) skills.file(`${name}/${file}`, content);
  return path(name);
}
const make = async (name: string, ...more: string[]) =>
  (await skills.said("create", folder(name), ...more)).trim();

test("create packs a folder: only files of its own, and what may be run stays so", async () => {
  const forms = folder("pdf-forms", "Run it.", {
    "scripts/fill.py": "#!/usr/bin/env python3\n",
    "scripts/tool": "binary",
    "notes/é.md": "text",
    ".git/config": "secret",
  });
  chmodSync(join(forms, "scripts/tool"), 0o755);
  symlinkSync("/etc/hostname", join(forms, "host"));
  const made = await skills.run("create", forms, "--display-name", "PDF forms");
  assert.equal(made.code, 0, made.stderr);
  assert.match(
    made.stderr,
    /^Left out: .*\.git \(hidden\), .*host \(a link\)\. --all takes hidden ones\.\n$/,
  );
  const id = made.stdout.trim();
  assert.match(id, /^skill_\w+$/);
  assert.equal((await skills.api("GET", `/${id}`)).display_name, "PDF forms");
  const wanted = {
    "pdf-forms/SKILL.md": document("pdf-forms", "Fills pdf-forms.", "Run it."),
    "pdf-forms/notes/é.md": "text",
    "pdf-forms/scripts/fill.py*": "#!/usr/bin/env python3\n",
    "pdf-forms/scripts/tool*": "binary",
  };
  assert.deepEqual(await kept.contents(id), wanted);
  const all = await skills.parsed("create", forms, "--all");
  assert.deepEqual(all, await skills.api("GET", `/${all.id}`));
  assert.deepEqual(await kept.contents(all.id), { ...wanted, "pdf-forms/.git/config": "secret" });
});

test("what is no skill is refused before it is sent, or by the server with its sentence", async () => {
  const count = async () => (await skills.api("GET", "?limit=100")).data.length;
  const before = await count();
  skills.file("empty/README.md", "no skill");
  await refused(
    2,
    /empty has no SKILL\.md, .* Name the folder that holds it\./,
    "create",
    path("empty"),
  );
  await refused(2, /none: There is no such file or folder/, "create", path("none"));
  const large = folder("large", "", {
    "a.bin": "a".repeat(20_000_000),
    "b.bin": "b".repeat(12_000_000),
  });
  await refused(1, /large has more than 31,457,280 bytes/, "create", large);
  const files = Object.fromEntries(Array.from({ length: 500 }, (_, at) => [`${at}.txt`, ""]));
  await refused(
    1,
    /many has 501 files, and a skill may have 500/,
    "create",
    folder("many", "", files),
  );
  skills.file("wrong/SKILL.md", "no front matter");
  await refused(1, /SKILL\.md.* \(request req_\w+\)\n$/, "create", path("wrong"));
  await refused(2, /null is no folder and no archive\./, "create", "/dev/null");
  skills.file("text.zip", "no archive");
  await refused(1, /stands in no folder/, "create", path("text.zip"));
  assert.equal(await count(), before);
});

test("update makes the next version, of a folder or of an archive", async () => {
  const id = await make("csv");
  const said = await skills.said("update", id, folder("csv", "Two"));
  const [, second = ""] = /^updated skill_\w+ to version (skillver_\w+)\n$/.exec(said) ?? [];
  assert.equal((await skills.api("GET", `/${id}`)).latest_version_id, second);
  const zip = await zipOf({ "csv/SKILL.md": document("csv", "Of a zip."), "csv/a.txt": "a" });
  const third = await skills.parsed("update", id, skills.file("csv.zip", zip));
  assert.deepEqual(third, await skills.api("GET", `/${id}/versions/latest`));
  assert.deepEqual(await kept.contents(id), {
    "csv/SKILL.md": document("csv", "Of a zip."),
    "csv/a.txt": "a",
  });
  await refused(1, /name/, "update", id, folder("other"));
});

test("list and versions are tables that lead on; show says what a skill is for", async () => {
  const id = await make("shown", "--display-name", "To be shown");
  await skills.said("update", id, folder("shown", "Two"));
  const { latest_version_id: latest } = await skills.api("GET", `/${id}`);
  const list = await skills.run("list", "--limit", "1");
  assert.match(
    list.stdout,
    new RegExp(
      `^ID +NAME +LATEST VERSION +CHANGED\n${id} +To be shown +${latest} +\\d{4}-\\d\\d-\\d\\d\n$`,
    ),
  );
  const [, page = ""] =
    /^There are more: plinth skills list --limit 1 --page (\S+)\n$/.exec(list.stderr) ?? [];
  const rest = await skills.parsed("list", "--page", page);
  assert.ok(rest.data.length > 0 && rest.data.every((one: Skill) => one.id !== id));
  const versions = await skills.run("versions", id, "--limit", "1");
  assert.match(
    versions.stdout,
    new RegExp(`^VERSION +MADE +DESCRIPTION\n${latest} +\\S+Z +Fills shown\\.\n$`),
  );
  const [, next = ""] =
    /plinth skills versions skill_\w+ --limit 1 --page (\S+)/.exec(versions.stderr) ?? [];
  const older = await skills.parsed("versions", id, "--page", next);
  const [first] = older.data;
  assert.deepEqual(older, {
    data: [await skills.api("GET", `/${id}/versions/${first.id}`)],
    next_page: null,
  });
  assert.deepEqual(await skills.parsed("show", id), await skills.api("GET", `/${id}`));
  assert.deepEqual(await skills.parsed("show", id, "--version", first.id), first);
  const shown = await skills.said("show", id);
  assert.match(
    shown,
    new RegExp(
      `^id +${id}\nname +To be shown\nfolder +shown\ndescription +Fills shown\\.\nversion +${latest}, the latest\n`,
    ),
  );
  assert.match(
    await skills.said("show", id, "--version", first.id),
    new RegExp(`\nversion +${first.id}\n`),
  );
  await refused(1, /skill_none/, "show", "skill_none");
  assert.equal((await skills.run("show", "../x")).code, 2);
});

test("download makes the folder anew, and writes nothing over", async () => {
  const source = folder("back", "One", { "bin/run": "#!/bin/sh\n", "a.txt": "a" });
  const id = (await skills.said("create", source)).trim();
  const { latest_version_id: first } = await skills.api("GET", `/${id}`);
  await skills.said("update", id, folder("back", "Two"));
  const got = await skills.run("download", id, "--version", first, "--to", path("got"));
  assert.deepEqual(
    [got.code, got.stdout, got.stderr],
    [0, `${path("got/back")}\n`, `3 files of ${first}.\n`],
  );
  assert.equal(
    readFileSync(path("got/back/SKILL.md"), "utf8"),
    document("back", "Fills back.", "One"),
  );
  assert.equal(readFileSync(path("got/back/bin/run"), "utf8"), "#!/bin/sh\n");
  const mode = (name: string) => statSync(path(name)).mode & 0o777;
  assert.equal(mode("got/back/bin/run"), 0o755);
  assert.equal(mode("got/back/a.txt") & 0o111, 0);
  assert.equal(mode("got/back"), 0o755);
  await refused(
    1,
    /got\/back is there already\. Move it away/,
    "download",
    id,
    "--to",
    path("got"),
  );
  assert.ok(readFileSync(path("got/back/SKILL.md"), "utf8").endsWith("One"));
  const latest = await skills.parsed("download", id, "--to", path("latest"));
  const { latest_version_id: second } = await skills.api("GET", `/${id}`);
  assert.deepEqual(latest, { id, version: second, folder: path("latest/back"), files: 3 });
  assert.deepEqual(readdirSync(path("got")), ["back"]);
});

/** A server that sends this as a skill. */
async function downloadFrom(name: string, content: Buffer) {
  const server = createServer((request, response) => {
    if (request.url?.endsWith("/content") === true) return response.end(content);
    response.setHeader("content-type", "application/json");
    return response.end(JSON.stringify({ id: "skillver_1", name }));
  });
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  try {
    return await skills.run("download", "skill_1", "--to", path("sly", "in"), "--url", url);
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

test("a server that is not what it says writes nothing outside of the folder, nor inside", async () => {
  const of = (...paths: string[]) =>
    zipOf(Object.fromEntries(["a/SKILL.md", ...paths].map((file) => [file, "x"])));
  const sly = async (sentence: RegExp, content: Buffer, name = "a") => {
    expectSentence(await downloadFrom(name, content), 1, sentence);
    assert.equal(existsSync(path("sly")), false);
  };
  await sly(/"a\/\.\.\/\.\.\/b" stands in it\. Nothing was written\./, await of("a/../../b"));
  await sly(/"b" stands in it/, await of("b"));
  await sly(/"a\/\/b" stands in it/, await of("a//b"));
  await sly(/stands in it/, await of(String.raw`a/..\b`));
  await sly(/"\.\.\/a" is no name of one/, await of(), "../a");
  await sly(/What the server sent is no skill: The zip /, (await of()).subarray(0, 40));
  const large = await zipOf({ "a/zeros": "0".repeat(31_457_281) });
  await sly(/"a\/zeros" stands in it/, large);
  await sly(/it has no end\. Nothing was written\./, Buffer.alloc(33_554_433));
  const spoilt = await of();
  spoilt[spoilt.indexOf("x", 40)] = 0x79;
  const result = await downloadFrom("a", spoilt);
  expectSentence(result, 1, /its bytes are not those that were packed/);
  assert.deepEqual(readdirSync(path("sly", "in")), []);
});

test("a download that breaks off leaves nothing", async () => {
  const blocks = Array.from({ length: 12_500 }, (_, at) =>
    createHash("sha256").update(`${at}`).digest(),
  );
  skills.file("broken/noise.bin", Buffer.concat(blocks));
  const id = await make("broken");
  await using between = await openFlakyProxy(skills.house.url);
  between.breakAfter(100_000);
  const words = ["download", id, "--to", path("half"), "--url", between.url];
  await refused(
    1,
    /The connection broke in the middle of the skill\. Nothing was written\./,
    ...words,
  );
  assert.equal(existsSync(path("half")), false);
});

test("a skill, or one version, is deleted by who says yes", async () => {
  const id = await make("gone");
  const { latest_version_id: first } = await skills.api("GET", `/${id}`);
  await refused(1, /is the only one of its skill/, "delete", id, "--version", first, "--yes");
  await skills.said("update", id, folder("gone", "Two"));
  await refused(2, /Say it with --yes\.\n$/, "delete", id);
  const ask = (answer: string) => skills.screen({ readLine: async () => answer });
  const ofVersion = ask("n");
  const declined = new CliError("Nothing was deleted.");
  await assert.rejects(remove(ofVersion.terminal, id, { version: first }), declined);
  assert.match(
    ofVersion.text(),
    new RegExp(`^${first} of gone, made .*\nIt goes also where an agent`),
  );
  const yes = ask("y");
  await remove(yes.terminal, id, { version: first });
  assert.match(yes.text(), new RegExp(`deleted ${first}\n$`));
  assert.equal((await skills.parsed("versions", id)).data.length, 1);
  const ofAll = ask("n");
  await assert.rejects(remove(ofAll.terminal, id, {}), declined);
  assert.match(
    ofAll.text(),
    /^gone \(skill_\w+\)\nIt goes with all its versions, .*\nDelete\? \[y\/N\] $/,
  );
  assert.deepEqual(await skills.parsed("delete", id, "--yes"), { id, type: "skill_deleted" });
  await refused(1, new RegExp(id), "show", id);
});
