// Each rule about code is shown what it must find, beside what it must let through: so no rule can rot.
import assert from "node:assert/strict";
import { test } from "node:test";
import { rules } from "./all.ts";
import { file, importing, importingType, roomCases, type Case } from "./planted-rooms.ts";
import { packages } from "./packages.ts";
import { checksum, checksumFile } from "./sql.ts";
import { codeOf, takeApart, type Source } from "./source.ts";

const bin = (line: string) => file("server/keys/service.ts", line);

/** Arrows: each line is one file that imports one other. */
const arrow = (path: string, bad: string, good: string, says: RegExp): Case => ({
  rule: "arrows",
  says,
  bad: [importing(path, bad)],
  good: [importing(path, good)],
});

const ban = (says: RegExp, bad: string, good: string): Case => ({
  rule: "banned",
  says,
  bad: [bin(bad)],
  good: [bin(good)],
});

const manifestWith = (versions: Record<string, string>): Source => ({
  path: "package.json",
  text: JSON.stringify({ dependencies: versions }),
});
const allPackages = Object.fromEntries(Object.keys(packages).map((name) => [name, "1.0.0"]));

// Put together, so that this file itself breaks no rule.
const note = ["TO", "DO"].join("");
const idle = ["network", "idle"].join("");
const pause = ["waitFor", "Timeout"].join("");
const home = ["", "home", "somebody", "plinth", ""].join("/");
const migration = { path: "migrations/0001_ground.sql", text: "-- Ground of the house.\n" };
const recorded = (path: string, text: string): Source => ({
  path: checksumFile,
  text: JSON.stringify({ [path]: checksum(text) }),
});
const keyRules = file("server/keys/RULES.md", "# Keys", "- KEY1 A secret is random.");
const keyTest = file("tests/rules/keys.test.ts", 'test("[KEY1] a secret is random", () => {});');
const doorRules = file("kernel/door/RULES.md", "# Doors", "- DOR1 A door shuts.");
const doorTest = file("kernel/door/door.test.ts", 'test("[DOR1] a door shuts", () => {});');

const cases: Case[] = [
  arrow("console/keys/x.tsx", "../../kernel/base/ids.ts", "../../contract/x.ts", /contract/),
  arrow("cli/login.ts", "../kernel/base/x.ts", "../kernel/archive/x.ts", /cli\/ reaches/),
  arrow("client/text/x.ts", "../../cli/format.ts", "../../contract/types.ts", /client\/ reaches/),
  arrow("contract/client.ts", "../kernel/context.ts", "./types.ts", /contract/),
  arrow("bin.ts", "./kernel/sql/database.ts", "./server/serve.ts", /bin\.ts/),
  arrow("server/commands/init.ts", "../keys/queries.ts", "../serve.ts", /module\.ts/),
  arrow("server/app.ts", "./keys/service.ts", "./keys/module.ts", /module\.ts/),
  arrow("server/keys/service.ts", "../audit/queries.ts", "../audit/module.ts", /module\.ts/),
  arrow("server/environment_worker/x.ts", "../keys/module.ts", "../mounts/module.ts", /mounts/),
  arrow("server/mounts/x.ts", "../memory/module.ts", "../sandboxes/module.ts", /a worker's/),
  arrow("server/keys/service.ts", "../app.ts", "../../kernel/sql/statement.ts", /own folder/),
  arrow("server/keys/service.ts", "../../cli/main.ts", "./queries.ts", /own folder/),
  arrow("kernel/base/clock.ts", "../sql/database.ts", "./ids.ts", /kernel\/base/),
  arrow("kernel/blob/local.ts", "../sql/database.ts", "../base/failure.ts", /kernel\/blob/),
  arrow("kernel/http/pages.ts", "../jobs/jobs.ts", "../context.ts", /kernel\/http/),
  arrow("kernel/log/log.ts", "../context.ts", "../sql/database.ts", /kernel\/log/),
  arrow("kernel/sql/database.ts", "../../server/app.ts", "../base/logger.ts", /kernel\/sql/),
  arrow("console/kit/list/x.tsx", "../../keys/keys.ts", "../page/y.tsx", /console\/kit is no/),
  arrow("console/keys/x.tsx", "../pages.tsx", "../kit/page/y.tsx", /a noun of the console/),
  arrow("console/shell/x.tsx", "../../server/x.ts", "../pages.tsx", /contract\/ only/),
  {
    rule: "noun-cycles",
    says: /console\/files → console\/memory → console\/files/,
    bad: [
      importing("console/files/a.tsx", "../memory/b.tsx"),
      importing("console/memory/b.tsx", "../files/c.tsx"),
    ],
    good: [
      importing("console/files/a.tsx", "../memory/b.tsx"),
      importing("console/memory/b.tsx", "../kit/list/c.tsx"),
    ],
  },
  arrow("elsewhere/x.ts", "../kernel/base/ids.ts", "node:fs", /no part/),
  {
    rule: "arrows",
    says: /types of kernel parts/,
    bad: [importing("kernel/context.ts", "./sql/database.ts")],
    good: [importingType("kernel/context.ts", "./sql/database.ts")],
  },
  {
    rule: "arrows",
    says: /imports kernel\/secret\/secrets\.ts/,
    bad: [importingType("kernel/http/pages.ts", "../secret/secrets.ts")],
    good: [importingType("kernel/http/pages.ts", "../base/limits.ts")],
  },
  {
    rule: "arrows",
    says: /module\.ts/,
    bad: [bin('const late = await import("../audit/queries.ts");')],
    good: [bin('// import { x } from "../audit/queries.ts"\nconst said = `from "../audit/x.ts"`;')],
  },
  {
    rule: "noun-cycles",
    says: /audit → server\/keys → server\/models → server\/audit/,
    bad: [
      importing("server/audit/service.ts", "../keys/module.ts"),
      importing("server/keys/service.ts", "../models/module.ts"),
      importing("server/models/service.ts", "../audit/module.ts"),
    ],
    good: [
      importing("server/audit/service.ts", "../keys/module.ts"),
      importing("server/models/service.ts", "../keys/module.ts"),
      importing("server/models/service.ts", "../audit/module.ts"),
    ],
  },
  ...roomCases,
  {
    rule: "packages",
    says: /left-pad is on no list/,
    bad: [manifestWith({ ...allPackages, "left-pad": "1.0.0" })],
    good: [manifestWith(allPackages)],
  },
  {
    rule: "packages",
    says: /pg is not there any more/,
    bad: [
      manifestWith(Object.fromEntries(Object.entries(allPackages).filter(([n]) => n !== "pg"))),
    ],
    good: [manifestWith(allPackages)],
  },
  {
    rule: "packages",
    says: /pin one exact version/,
    bad: [manifestWith({ ...allPackages, pg: "^8.0.0" })],
    good: [manifestWith({ ...allPackages, pg: "8.0.0-beta.1" })],
  },
  ...[
    ["server/keys/queries.ts", "pg", "kernel/sql/database.ts"],
    ["server/keys/page.ts", "react", "console/main.tsx"],
    ["server/keys/page.ts", "react-dom/client", "console/main.tsx"],
    ["kernel/base/x.ts", "left-pad", ""],
    ["kernel/base/x.ts", "fs", ""],
    ["kernel/base/x.ts", "@tanstack/react-query/x", "console/main.tsx"],
  ].map(([from = "", name = "", owner = ""]) => ({
    rule: "package-imports",
    says: new RegExp(name.split("/")[0] ?? ""),
    bad: [importing(from, name)],
    good: [importing(owner || from, owner === "" ? "node:fs" : name)],
  })),
  ban(/clock\.now/, "const at = Date.now();", "const at = clock.now();"),
  ban(/clock\.now/, "const at = new Date();", "const at = new Date(ms);"),
  ban(/context\.random/, "const r = Math.random();", "// Math.random() is banned"),
  ban(/settings/, "const p = process.env.PORT;", 'const p = "process.env.PORT";'),
  ban(/contract\/client/, "await fetch(url);", "await upstream.fetch(url); prefetch(url);"),
  ban(/clock\.sleep/, "setTimeout(() => {}, 5);", "await clock.sleep(5); // setTimeout(x)"),
  ban(/kernel\/jobs/, "setInterval(work, 5);", "jobs.every(5);"),
  ban(
    /Random/,
    'import { randomBytes } from "node:crypto";',
    'import { createHash } from "node:crypto";',
  ),
  ban(/password/, 'import { argon2 } from "node:crypto";', "await secrets.hashPassword(text);"),
  ban(/unknown/, "const x = y as any;", "const x = y as unknown;"),
  ban(
    /kernel\/work\/parts/,
    'const byWorld = new WeakMap<World["db"], Limits>();',
    "const byKey = new WeakMap<KeyRow, Principal>();",
  ),
  ban(/named export/, "export default 5;", "export const five = 5;"),
  ban(/named export/, "export { five as default };", "export { five };"),
  ban(/union/, "enum Colour { Red }", 'type Colour = "red"; // enum Colour'),
  ban(
    /worded/,
    'const A = Type.String({ pattern: "^a$" });',
    'const A = Type.String(worded("^a$", "is a"));',
  ),
  ban(/parseExactly/, "const value = JSON.parse(text);", "const value = parseExactly(text);"),
  ban(/clock\.now/, "const text = `at ${Date.now()}`;", "const text = `at Date.now()`;"),
  {
    rule: "banned",
    says: /Math\.random/,
    bad: [file("console/keys/ids.ts", "export const id = () => Math.random();")],
    good: [file("kernel/base/random.ts", "export const id = () => Math.random();")],
  },
  {
    rule: "banned",
    says: /other bytes|randomness/,
    bad: ["kernel/http/x.ts", "tests/x.ts"].map((path) => file(path, "const x = randomBytes(8);")),
    good: [file("kernel/secret/x.ts", "const x = randomBytes(8);")],
  },
  {
    rule: "crypto-by-name",
    says: /by name/,
    bad: [bin('import crypto from "node:crypto";'), bin('import * as c from "node:crypto";')],
    good: [bin('import { createHash } from "node:crypto";')],
  },
  ...["test.only(name, f);", "test.skip(name, f);", "test(name, { skip: true }, f);"].map(
    (line) => ({
      rule: "sleeping-tests",
      says: /switches tests off/,
      bad: [file("tests/rules/x.test.ts", line)],
      good: [file("tests/rules/x.test.ts", 'test("only [X1]", { skip: reason }, f); // test.only')],
    }),
  ),
  {
    rule: "waits-for-a-while",
    says: /settled\(\)/,
    bad: [
      file("tests/console/x.test.ts", `await page.waitForLoadState("${idle}");`),
      file("tests/console/person.ts", `await page.${pause}(500);`),
    ],
    good: [file("tests/console/x.test.ts", 'await page.waitForLoadState("load");')],
  },
  {
    rule: "first-sentence",
    says: /sentence/,
    bad: [
      file("server/x.ts", "export const x = 5;"),
      file("server/y.ts", "// Helpers"),
      file("migrations/0001_x.sql", "create table x ();"),
      file("console/x.css", "body { color: red }"),
      file(".ci/run", "#!/bin/bash", "set -e"),
    ],
    good: [
      file("server/x.ts", "// What x is, in a sentence.", "export const x = 5;"),
      file("server/y.ts", "#!/usr/bin/env node", "// What y is, in two", "// lines."),
      file("migrations/0001_x.sql", "-- What the tables are for."),
      file("console/x.css", "/* How the pages look.", "   More. */"),
      file(".ci/run", "#!/bin/bash", "# All that must hold, in a clean clone."),
    ],
  },
  {
    rule: "file-length",
    says: /301 lines/,
    bad: [file("server/x.ts", ...Array.from({ length: 301 }, () => "x();"))],
    good: [file("server/x.ts", ...Array.from({ length: 300 }, () => "x();"))],
  },
  {
    rule: "file-length",
    says: /401 lines/,
    bad: [file("tests/x.test.ts", ...Array.from({ length: 401 }, () => "x();"))],
    good: [file("tests/x.test.ts", ...Array.from({ length: 400 }, () => "x();"))],
  },
  {
    rule: "columns",
    says: /101 columns/,
    bad: [bin(`${"a".repeat(100)};`)],
    good: [
      bin(`${"a".repeat(99)};`),
      bin(`const x = "${"a".repeat(200)}";`),
      bin(`const x = /${"a".repeat(200)}/;`),
      bin(`// See https://example.com/${"a".repeat(200)}`),
    ],
  },
  {
    rule: "columns",
    says: /121 columns/,
    bad: [bin(`// ${"a".repeat(118)}`)],
    good: [bin(`// ${"a".repeat(117)}`)],
  },
  {
    rule: "notes-to-self",
    says: new RegExp(note),
    bad: [
      file("docs/x.md", `Nice. ${note}: more.`),
      bin(`x(); // ${["FIX", "ME"].join("")} later`),
    ],
    good: [file("docs/x.md", "Things to do: none.")],
  },
  {
    rule: "developer-paths",
    says: /somebody/,
    bad: [file("docs/x.md", `see ${home}x`), bin(`open("${home.replace("home", "Users")}x");`)],
    good: [file("docs/x.md", "/v1/environments/{id}/work/{work_id}, /var/lib/plinth, ./home/x/y")],
  },
  {
    rule: "lock-file",
    says: /1 "resolved"/,
    bad: [file("package-lock.json", '{"resolved": "https://registry.example.com/x.tgz"}')],
    good: [file("package-lock.json", '{"integrity": "sha512-x", "resolved": "packages/x"}')],
  },
  ...['{"rules":{}}', '{"rules":{"max-lines-per-function":["error",{"max":71}]}}'].map((text) => ({
    rule: "function-length",
    says: /70/,
    bad: [file(".oxlintrc.json", text)],
    good: [file(".oxlintrc.json", '{"rules":{"max-lines-per-function":["error",{"max":70}]}}')],
  })),
  ...[
    ["sql`SELECT id from keys`", "sql`select id from keys where name = 'SELECT'`"],
    ["sql`select * from keys`", "sql`select count(*) as count from keys`"],
    ["sql`select k.*, n.id from keys k`", "sql`select k.id, n.id from keys k`"],
    [
      "sql`insert into k (id) values (1) returning *`",
      "sql`insert into k (id) values (1) returning id`",
    ],
    ["sql`select id from keys limit ${n}`", "sql`select id from keys order by id limit ${n}`"],
  ].map(([bad = "", good = ""]) => ({
    rule: "sql-style",
    says: /line 1/,
    bad: [file("server/keys/queries.ts", bad)],
    good: [file("server/keys/queries.ts", good)],
  })),
  {
    rule: "sql-place",
    says: /queries\.ts/,
    bad: [file("server/keys/service.ts", "await tx.query(sql`select 1`);")],
    good: [file("server/keys/queries.ts", "await tx.query(sql`select 1`);")],
  },
  {
    rule: "migrations",
    says: /should have number 1/,
    bad: [file("migrations/0002_x.sql", "-- X.")],
    good: [migration, recorded(migration.path, migration.text)],
  },
  {
    rule: "migrations",
    says: /was edited/,
    bad: [migration, recorded(migration.path, "-- As it was.\n")],
    good: [migration, recorded(migration.path, migration.text)],
  },
  {
    rule: "migrations",
    says: /is not in/,
    bad: [migration],
    good: [migration, recorded(migration.path, migration.text)],
  },
  {
    rule: "migrations",
    says: /was removed/,
    bad: [recorded(migration.path, migration.text)],
    good: [migration, recorded(migration.path, migration.text)],
  },
  { rule: "rule-ids", says: /has no test/, bad: [keyRules], good: [keyRules, keyTest] },
  { rule: "rule-ids", says: /no RULES\.md/, bad: [keyTest], good: [keyRules, keyTest] },
  {
    rule: "rule-ids",
    says: /tests \[KEY2\]/,
    bad: [keyRules, keyTest, file("tests/console/x.test.ts", 'test("[KEY2] x", f);')],
    good: [keyRules, keyTest, file("tests/simulation/x.test.ts", 'test("[JOB2] x", f);')],
  },
  {
    rule: "rule-ids",
    says: /tests \[DOR2\]/,
    bad: [doorRules, doorTest, file("kernel/door/x.test.ts", 'test("[DOR2] x", f);')],
    good: [doorRules, doorTest],
  },
  {
    rule: "rule-ids",
    says: /tests \[WIN1\]/,
    bad: [doorRules, doorTest, file("tests/kernel/x.test.ts", 'test("[WIN1] x", f);')],
    good: [doorRules, doorTest],
  },
  { rule: "rule-ids", says: /DOR1 has no test/, bad: [doorRules], good: [doorRules, doorTest] },
  {
    rule: "rule-ids",
    says: /has no test/,
    bad: [keyRules, file("tests/rules/keys.test.ts", "// [KEY1] is a comment only")],
    good: [keyRules, keyTest],
  },
  {
    rule: "rule-ids",
    says: /defined twice/,
    bad: [keyRules, file("server/x/RULES.md", "- KEY1 Again."), keyTest],
    good: [keyRules, keyTest],
  },
];

/** Rules whose every bad file must be named, not just one of them. */
const fileByFile = new Set(["first-sentence", "notes-to-self", "developer-paths", "limits-place"]);

for (const { rule, says, bad, good } of cases)
  test(`tidy: ${rule} finds ${says.source}: ${bad[0]?.text.split("\n")[0]?.slice(0, 60)}`, () => {
    const find = rules[rule] ?? assert.fail(`there is no rule ${rule}`);
    const found = find(bad);
    assert.ok(found.length > 0, "nothing was found");
    if (fileByFile.has(rule))
      assert.deepEqual(
        new Set(found.map(({ path }) => path)),
        new Set(bad.map(({ path }) => path)),
      );
    assert.match(found.map(({ message }) => message).join("\n"), says);
    assert.deepEqual(find(good), []);
  });

test("tidy: every rule has a planted violation", () => {
  const planted = new Set(cases.map(({ rule }) => rule));
  assert.deepEqual(
    Object.keys(rules).filter((rule) => !planted.has(rule)),
    [],
  );
});

test("tidy: code, literals and comments are told apart", () => {
  const text =
    'const a = "x // y"; // z "w"\nconst r = /["\'`]/g; const d = a / b / c;\n`t ${f("`")} u`;';
  assert.equal(codeOf(text), 'const a = "";  \nconst r = ""; const d = a / b / c;\n"" (f("")) ;');
  const whole = takeApart(text).map((piece) => piece.text);
  assert.equal(whole.join(""), text);
});
