// `plinth files list`, `show`, `get` and `rm`: for people, for pipes and for programs.
import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { Readable } from "node:stream";
import { after, before, test } from "node:test";
import { get } from "../../cli/files/get.ts";
import { rm } from "../../cli/files/rm.ts";
import { list } from "../../cli/files/list.ts";
import { CliError } from "../../cli/terminal.ts";
import { sql } from "../../kernel/sql/statement.ts";
import { storeToolFile } from "../../server/files/module.ts";
import { openFlakyProxy } from "./flaky-proxy.ts";
import { openFilesCommands, type FilesCommands } from "./files.ts";
import { expectRefusal } from "./plinth.ts";

let cabinet: FilesCommands;
before(async () => {
  cabinet = await openFilesCommands();
});
after(async () => {
  await cabinet?.[Symbol.asyncDispose]();
});

const path = (name: string) => join(cabinet.workshop.directory, name);

/** A file as a tool makes it. */
async function byTool(filename: string, mimeType: string, content: Buffer): Promise<string> {
  const { world, organizations } = cabinet.house;
  const { organization_id: organizationId, workspace_id: workspaceId } = organizations.platform;
  const { id } = await storeToolFile(world, {
    organizationId,
    workspaceId,
    sessionId: "sesn_1",
    filename,
    mimeType,
    content: Readable.from([content]),
  });
  return id;
}

test("list is a table, newest first, that leads on to older ones; --json is the page as it is", async () => {
  const empty = await cabinet.files("list");
  assert.deepEqual([empty.code, empty.stdout, empty.stderr], [0, "", "There are no files here.\n"]);
  const { api } = cabinet;
  const first = await api.upload({ filename: "first.txt", content: "1" });
  const long = await api.upload({
    filename: `${"long ".repeat(20)}.csv`,
    content: "a,b",
    expires: 172_800,
  });
  const old = await api.upload({ filename: "old.txt", content: "old", expires: 3_600 });
  await cabinet.house.world.db.query(
    sql`update files set expires_at = now() - interval '1 day' where id = ${old.id}`,
  );
  const made = await byTool("plot.csv", "text/csv", Buffer.from("x,y\n"));
  const all = await cabinet.files("list", "--limit", "3");
  assert.equal(all.code, 0, all.stderr);
  const [titles = "", ...rows] = all.stdout.trimEnd().split("\n");
  assert.match(titles, /^ID +NAME +TYPE +SIZE +AGE +EXPIRES IN +DOWNLOADABLE$/);
  assert.match(rows[0] ?? "", new RegExp(`^${made} +plot\\.csv +text/csv +4 B +\\d+ s +- +yes$`));
  assert.match(rows[1] ?? "", new RegExp(`^${old.id} +old\\.txt +text/plain +3 B .* expired +no$`));
  assert.ok((rows[2] ?? "").includes(long.filename));
  assert.match(rows[2] ?? "", / 2 d|48 h/);
  assert.equal(all.stderr, `There are more: plinth files list --limit 3 --after ${long.id}\n`);
  const rest = await cabinet.files("list", "--after", long.id, "--json");
  const page = JSON.parse(rest.stdout) as { data: { id: string }[]; has_more: boolean };
  assert.deepEqual([page.data.map(({ id }) => id), page.has_more], [[first.id], false]);
  const screen = cabinet.screen();
  await list(screen.terminal, { limit: 20, call: [] });
  assert.match(screen.text(), /  long long [long ]*…  text\/csv  /);
});

test("show says what is known, and who gets the content", async () => {
  const { id } = await cabinet.api.upload({
    filename: "plan.txt",
    content: "plan",
    expires: 7_200,
  });
  const { code, stdout } = await cabinet.files("show", id);
  assert.equal(code, 0);
  assert.match(
    stdout,
    new RegExp(`^id +${id}\nname +plan\\.txt\ntype +text/plain\nsize +4 bytes\n`),
  );
  assert.match(stdout, /\nexpires +\S+Z, in (2 h|120 min|1 h \d+ min)\n/);
  assert.match(stdout, /\ndownloadable +no: it was uploaded; people download it in the console\n$/);
  const made = await byTool("a.csv", "text/csv", Buffer.from("a"));
  const shown = await cabinet.files("show", made);
  assert.match(shown.stdout, new RegExp(`\ndownloadable +yes: plinth files get ${made}\n`));
  assert.match(shown.stdout, /\nsize +1 byte\n/);
  assert.match(shown.stdout, /\nsession +sesn_1\n$/);
  const json = await cabinet.files("show", id, "--json");
  assert.deepEqual(JSON.parse(json.stdout), await cabinet.retrieve(id));
  const none = await cabinet.files("show", "file_none");
  assert.equal(none.code, 1);
  assert.match(none.stderr, /file_none.*\(request req_\w+\)\n$/);
  assert.equal((await cabinet.files("show", "../x")).code, 2);
});

test("get gives what a tool made; of what was uploaded it says where people get it", async () => {
  const content = Buffer.from([0, 255, 13, 10, 27, 91]);
  const id = await byTool("a.bin", "application/octet-stream", content);
  const out = path("got.bin");
  const saved = await cabinet.files("get", id, "--out", out);
  assert.deepEqual([saved.code, saved.stdout, saved.stderr], [0, "", `6 B in ${out}.\n`]);
  assert.ok(readFileSync(out).equals(content));
  const json = await cabinet.files("get", id, "--out", out, "--json");
  assert.deepEqual(JSON.parse(json.stdout), { id, file: out, bytes: 6 });
  const text = await byTool("a.txt", "text/plain", Buffer.from("é\n"));
  assert.equal((await cabinet.files("get", text)).stdout, "é\n");
  assert.equal((await cabinet.files("get", text, "--out", "-")).stdout, "é\n");
  const { id: upload } = await cabinet.api.upload({ filename: "mine.txt", content: "mine" });
  const refused = await cabinet.files("get", upload, "--out", path("mine.txt"));
  assert.equal(refused.code, 1);
  assert.match(refused.stderr, /was uploaded, and uploads are not handed out over the API/);
  assert.ok(refused.stderr.includes(`${cabinet.house.url}/console/files?file=${upload}`));
  assert.equal(existsSync(path("mine.txt")), false);
});

test("a terminal gets text that it does not obey, and nothing else", async () => {
  const sly = await byTool("sly.txt", "text/plain", Buffer.from("a\u001b[2Jb\n"));
  const screen = cabinet.screen();
  await get(screen.terminal, sly, {});
  assert.equal(screen.text(), "a␛[2Jb\n");
  const binary = await byTool("a.png", "image/png", Buffer.from([255, 254, 0]));
  await assert.rejects(get(cabinet.screen().terminal, binary, {}), (error) => {
    assert.ok(error instanceof CliError && error.exitCode === 2);
    assert.match(
      error.message,
      /is application\/octet-stream, and a terminal shows text only\. .*--out FILE/,
    );
    return true;
  });
});

test("what breaks off leaves no part under the name, and what was there before stays", async () => {
  const id = await byTool("large.bin", "application/octet-stream", Buffer.alloc(2_000_000, 7));
  const out = cabinet.file("kept.bin", "before");
  await using between = await openFlakyProxy(cabinet.house.url);
  between.breakAfter(500_000);
  const broken = await cabinet.files("get", id, "--out", out, "--url", between.url);
  assert.equal(broken.code, 1);
  expectRefusal(
    broken,
    /The connection broke in the middle of the file\. Nothing was written to .*kept\.bin\. Begin it again\.$/m,
  );
  assert.equal(readFileSync(out, "utf8"), "before");
  assert.deepEqual(
    readdirSync(cabinet.workshop.directory).filter((name) => name.endsWith(".part")),
    [],
  );
  assert.equal((await cabinet.files("get", id, "--out", out, "--quiet")).code, 0);
  assert.equal(readFileSync(out).length, 2_000_000);
});

test("rm asks a person, and wants --yes of everybody else; one that is missing keeps all", async () => {
  const make = async (filename: string) => (await cabinet.api.upload({ filename })).id;
  const [a, b, c] = [await make("a.rm"), await make("b.rm"), await make("c.rm")];
  const asked = await cabinet.files("rm", a, b);
  assert.equal(asked.code, 2);
  assert.match(asked.stderr, /Say it with --yes\.\n$/);
  const missing = await cabinet.files("rm", a, "file_none", "--yes");
  assert.equal(missing.code, 1);
  assert.equal((await cabinet.retrieve(a)).id, a);
  const no = cabinet.screen({ readLine: async () => "n" });
  await assert.rejects(rm(no.terminal, [a], {}), /Nothing was deleted\./);
  assert.match(
    no.text(),
    /a\.rm, 0 B\nMessages that name it will be refused, .*\nDelete\? \[y\/N\] $/,
  );
  const yes = cabinet.screen({ readLine: async () => "y" });
  await rm(yes.terminal, [a, a], {});
  assert.match(yes.text(), new RegExp(`deleted ${a}\n$`));
  const json = await cabinet.files("rm", b, c, "--yes", "--json");
  assert.deepEqual(JSON.parse(json.stdout), { deleted: [b, c] });
  for (const id of [a, b, c]) assert.equal((await cabinet.api.call("GET", `/${id}`)).status, 404);
});
