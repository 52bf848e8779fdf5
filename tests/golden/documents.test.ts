// What the documents say of files, commands, endpoints, metrics, limits and errors is so.
import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { dirname, join, posix } from "node:path";
import { test } from "node:test";
import { Failure, type FailureType } from "../../kernel/base/failure.ts";
import { limits } from "../../kernel/base/limits.ts";
import { httpLimits } from "../../kernel/http/limits.ts";
import { jobLimits } from "../../kernel/jobs/limits.ts";
import { logLimits } from "../../kernel/log/limits.ts";
import { openInstruments } from "../../kernel/observe/instruments.ts";
import { openMetrics } from "../../kernel/observe/metrics.ts";
import { routes } from "../../server/app.ts";
import { limits as agentLimits } from "../../server/agents/limits.ts";
import { limits as batchLimits } from "../../server/batches/limits.ts";
import { workLimits as batchWorkLimits } from "../../server/batches/work/limits.ts";
import { limits as fallbackLimits } from "../../server/fallbacks/limits.ts";
import { limits as federationLimits } from "../../server/federation/limits.ts";
import { limits as fileLimits } from "../../server/files/limits.ts";
import { limits as identityLimits } from "../../server/identity/limits.ts";
import { limits as keyLimits } from "../../server/keys/limits.ts";
import { limits as rateLimits } from "../../server/limits/limits.ts";
import { limits as memberLimits } from "../../server/members/limits.ts";
import { limits as memoryLimits } from "../../server/memory/limits.ts";
import { limits as messageLimits } from "../../server/messages/limits.ts";
import { threadLimits } from "../../server/messages/threads/limits.ts";
import { limits as modelLimits } from "../../server/models/limits.ts";
import { upstreamLimits } from "../../server/models/upstreams/limits.ts";
import { limits as organizationLimits } from "../../server/organizations/limits.ts";
import { limits as reportLimits } from "../../server/reports/limits.ts";
import { limits as scimLimits } from "../../server/scim/limits.ts";
import { limits as domainLimits } from "../../server/identity_provider/limits.ts";
import { limits as tokenLimits } from "../../server/tokens/limits.ts";
import { limits as passkeyLimits } from "../../server/passkeys/limits.ts";
import { limits as singleSignOnLimits } from "../../server/single_sign_on/limits.ts";
import { limits as ledgerLimits } from "../../server/usage/limits.ts";
import { limits as webhookLimits } from "../../server/webhooks/limits.ts";
import { version } from "../../kernel/base/version.ts";
import { limits as workspaceLimits } from "../../server/workspaces/limits.ts";
import { openExportGauges } from "../../server/audit/sink/health.ts";
import { readTree } from "../tidy/source.ts";

const root = join(import.meta.dirname, "../..");
const documents = readTree().filter(({ path }) => /^([A-Z]+\.md|docs\/.*\.md)$/.test(path));
const textOf = (path: string) => documents.find((document) => document.path === path)?.text ?? "";

/** Of every table in a document whose first heading is this: the rows as cells, code marks taken off. */
function rowsUnder(text: string, heading: string): string[][] {
  const tables = text.split(/\n(?!\|)/).map((part) => part.trim());
  const wanted = tables.filter((part) => part.startsWith(`| ${heading} |`));
  return wanted.flatMap((table) =>
    table
      .split("\n")
      .slice(2)
      .map((row) => row.split("|").slice(1, -1))
      .map((cells) => cells.map((cell) => cell.trim().replaceAll("`", ""))),
  );
}

const sorted = (names: string[]) => names.toSorted((a, b) => (a < b ? -1 : 1));

test("there are documents", () => {
  for (const path of ["README.md", "docs/ARCHITECTURE.md", "docs/OPERATIONS.md"])
    assert.ok(textOf(path).length > 1_000, `${path} is missing or empty`);
});

test("every link leads to a file and a heading that exist", () => {
  const dead = documents.flatMap(({ path, text }) =>
    [...text.matchAll(/(?:\]\(|(?:src|srcset)=")([^)"\s]+)/g)].flatMap(([, link = ""]) => {
      if (/^https?:/.test(link)) return [];
      const [file = "", anchor] = link.split("#");
      const target = file === "" ? path : posix.join(dirname(path), file);
      if (!existsSync(join(root, target))) return [`${path}: ${link} is no file`];
      if (anchor === undefined || anchorsOf(textOf(target)).includes(anchor)) return [];
      return [`${path}: ${link} has no such heading`];
    }),
  );
  assert.deepEqual(dead, []);
});

const anchorsOf = (text: string) =>
  [...text.matchAll(/^#+ (.+)$/gm)].map(([, heading = ""]) =>
    heading
      .toLowerCase()
      .replace(/[^\w\- ]/g, "")
      .replaceAll(" ", "-"),
  );

const folders = "bench|console|contract|docs|kernel|migrations|server|tests|tools|\\.ci|\\.github";
/** `kernel/http/route.ts`, `server/keys/`, `server/keys`: in code marks, in pictures, in lists. */
const pathInText = new RegExp(`(?<![\\w/.@<-])(?:${folders})/[\\w./-]*[\\w/]`, "g");

test("every path of ours that a document names exists", () => {
  let named = 0;
  const missing = documents.flatMap(({ path, text }) =>
    [...text.matchAll(pathInText)].flatMap(([found]) => {
      named++;
      // Made by the build, a place of the address space and not of the tree, or a method of MCP.
      if (/^(console\/(dist|api|assets)|docs\/assets)\b/.test(found)) return [];
      if (["tools/call", "tools/list", "server/discover"].includes(found)) return [];
      return existsSync(join(root, found)) ? [] : [`${path}: ${found}`];
    }),
  );
  assert.ok(named > 50, `only ${named} paths were found`);
  assert.deepEqual(missing, []);
});

test("every command that a document names exists", () => {
  const help = readFileSync(join(root, "tests/golden/help.golden"), "utf8");
  const { scripts } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as {
    scripts: Record<string, string>;
  };
  for (const { path, text } of documents) {
    for (const [, name = ""] of text.matchAll(/(?:`|^)(?:\.\/)?plinth ([a-z][a-z-]*)(?=`| -|$)/gm))
      assert.match(help, new RegExp(`^  ${name} `, "m"), `${path}: plinth ${name} is no command`);
    for (const [, name = ""] of text.matchAll(/npm (?:run )?(start|test|(?<=run )[a-z]+)\b/g))
      assert.ok(Object.hasOwn(scripts, name), `${path}: npm run ${name} is no script`);
    for (const [, flag = ""] of text.matchAll(/(?:plinth|npm start --) [^`\n]*?(--[a-z-]+)/g))
      assert.ok(help.includes(flag), `${path}: ${flag} is no flag`);
  }
});

test("the endpoints are those of the route table", () => {
  const told = rowsUnder(textOf("docs/COMPATIBILITY.md"), "Request").map(
    ([request = ""]) => request,
  );
  const real = routes
    .filter(({ path }) => !path.startsWith("/console/") && !/\/(assets\/|page\.js)/.test(path))
    .map(({ method, path }) => `${method} ${path}`);
  assert.deepEqual(sorted(told), sorted(real));
});

test("the statuses of errors are those of the code", () => {
  const rows = rowsUnder(textOf("docs/COMPATIBILITY.md"), "error.type");
  assert.ok(rows.length > 8, `only ${rows.length} rows were found`);
  for (const [type = "", status] of rows)
    assert.equal(String(new Failure(type as FailureType, "").status), status, type);
});

test("the metrics are those of the instruments", async () => {
  const metrics = openMetrics();
  const instruments = openInstruments(metrics);
  openExportGauges(metrics);
  const text = await metrics.text();
  instruments.close();
  const real = [...text.matchAll(/^# HELP (\S+)/gm)].map(([, name = ""]) => name);
  const told = rowsUnder(textOf("docs/OPERATIONS.md"), "Name").map(([name = ""]) => name);
  const isMetric = (name: string) => /^(?:plinth|process)_/.test(name);
  assert.deepEqual(sorted(told.filter(isMetric)), sorted(real));
});

test("the limits are those of the code", () => {
  const all: Record<string, Readonly<Record<string, number | readonly number[]>>> = {
    limits,
    httpLimits,
    jobLimits,
    logLimits,
    keyLimits,
    workspaceLimits,
    identityLimits,
    passkeyLimits,
    singleSignOnLimits,
    agentLimits,
    batchLimits,
    batchWorkLimits,
    memberLimits,
    memoryLimits,
    fileLimits,
    messageLimits,
    threadLimits,
    fallbackLimits,
    modelLimits,
    upstreamLimits,
    rateLimits,
    ledgerLimits,
    reportLimits,
    tokenLimits,
    scimLimits,
    domainLimits,
    federationLimits,
    webhookLimits,
    organizationLimits,
  };
  const rows = rowsUnder(textOf("docs/OPERATIONS.md"), "What").filter((row) => row.length === 3);
  const told = rows.filter(([, , name = ""]) => /^\w+\.\w+$/.test(name));
  assert.ok(told.length > 30, `only ${told.length} limits were found`);
  for (const [, text, name = ""] of told) {
    const [part = "", limit = ""] = name.split(".");
    assert.equal(text, inWords(limit, Number(all[part]?.[limit])), name);
  }
});

/** In the largest unit that gives a whole number. */
function inWords(name: string, value = Number.NaN): string {
  const units: [number, string][] = /Ms(Default|Max)?$/.test(name)
    ? [
        [86_400_000, "d"],
        [3_600_000, "h"],
        [60_000, "min"],
        [1_000, "s"],
        [1, "ms"],
      ]
    : /Bytes(Max)?$/.test(name)
      ? [
          [1024 ** 2, "MiB"],
          [1024, "KiB"],
        ]
      : [];
  const [size, unit] = units.find(([size]) => value % size === 0) ?? [1, ""];
  return `${value / size} ${unit}`.trim();
}

test("the changelog has the present version", () => {
  assert.match(textOf("CHANGELOG.md"), new RegExp(`^## ${version.replaceAll(".", "\\.")}`, "m"));
});
