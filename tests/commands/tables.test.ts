// Tables of commands: on a screen no wider than it and with states in colour, through a pipe whole.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import fc from "fast-check";
import { cutText, displayWidth } from "../../cli/display-width.ts";
import { list } from "../../cli/keys/read.ts";
import { hasColors } from "../../cli/process-terminal.ts";
import { colorOfState } from "../../cli/state-color.ts";
import { fittingWidths, listTable } from "../../cli/table.ts";
import { openHouse, type House, type Tenant } from "../house.ts";
import { openCommandRunner, type CommandRunner } from "./plinth.ts";
import { openScreen } from "./screen.ts";

let house: House;
let platform: Tenant;
let env: Record<string, string>;
let commands: CommandRunner;
before(async () => {
  house = await openHouse();
  ({ platform } = house.organizations);
  env = { PLINTH_ADMIN_KEY: platform.admin_api_key, PLINTH_BASE_URL: house.url };
  commands = openCommandRunner();
});
after(async () => {
  await commands[Symbol.asyncDispose]();
  await house[Symbol.asyncDispose]();
});

const screenOf = (columns: number) => {
  const paint = (name: string, text: string) => `<${name} ${text}>`;
  return { screenColumns: () => columns, color: paint };
};
const rows = [
  ["apikey_01m8gt4xtd00008eptb5xfs382", "A name that is rather long", "active", "sk-…1234abcd"],
  ["apikey_01m8gt4xtd00008eptb5xfs383", "資料", "archived", "sk-…"],
];
const titles = ["ID", "NAME", "STATUS", "KEY"];
const shown = (columns: number) => listTable(screenOf(columns), titles, rows).split("\n");

test("a pipe gets all of each cell, and columns begin where they did", () => {
  assert.deepEqual(shown(0), [
    "ID                                 NAME                        STATUS    KEY",
    "apikey_01m8gt4xtd00008eptb5xfs382  A name that is rather long  <green active>    sk-…1234abcd",
    "apikey_01m8gt4xtd00008eptb5xfs383  資料                        <red archived>  sk-…",
    "",
  ]);
});

test("a screen cuts what stands elsewhere first, then names, and ids last", () => {
  const id = "apikey_01m8gt4xtd00008eptb5xfs382";
  const name = "A name that is rather long";
  assert.equal(shown(84)[1], `${id}  ${name}  <green active>    sk-…1234ab…`);
  assert.equal(shown(81)[1], `${id}  ${name}  <green active>    sk-…123…`);
  assert.equal(shown(70)[1], `${id}  A name that is…  <green active>    sk-…123…`);
  assert.equal(shown(50)[1], "apikey_01m8gt4xtd…  A name th…  <green active>    sk-…123…");
});

test("no row is ever wider than the screen", () => {
  const plain = { screenColumns: () => 0, color: (_: string, text: string) => text };
  fc.assert(
    fc.property(
      fc.array(
        fc.array(fc.string({ unit: "grapheme", maxLength: 50 }), { minLength: 4, maxLength: 4 }),
      ),
      fc.integer({ min: 10, max: 200 }),
      (cells, columns) => {
        const clean = cells.map((row) => row.map((cell) => cell.replaceAll(/\p{C}/gu, "")));
        const text = listTable({ ...plain, screenColumns: () => columns }, titles, clean);
        for (const line of text.split("\n"))
          assert.ok(displayWidth(line) <= columns, `${columns}: ${JSON.stringify(line)}`);
      },
    ),
  );
});

test("widths are given back as they were where the table fits", () => {
  assert.deepEqual(fittingWidths(["A", "B"], [10, 20], 32), [10, 20]);
  assert.deepEqual(fittingWidths(["A", "B"], [10, 20], 31), [10, 19]);
  assert.deepEqual(fittingWidths(["ID", "DESCRIPTION", "NAME"], [30, 40, 12], 62), [30, 16, 12]);
});

test("statuses of HTTP have colours, too", () => {
  const colors = ["200", "404", "503", "99", "idle"].map(colorOfState);
  assert.deepEqual(colors, ["green", "yellow", "red", undefined, undefined]);
});

test("signs of two columns are cut whole", () => {
  assert.equal(cutText("資料資料", 5), "資料…");
  assert.equal(cutText("資料資料", 4), "資…");
  assert.equal(cutText("資料", 4), "資料");
  assert.equal(displayWidth("e\u0301👩‍💻"), 3);
});

test("colours: FORCE_COLOR, then NO_COLOR, then whether a screen shows them", () => {
  const screen = { isTTY: true };
  assert.equal(hasColors({}, screen), true);
  assert.equal(hasColors({}, {}), false);
  assert.equal(hasColors({ TERM: "dumb" }, screen), false);
  assert.equal(hasColors({ NO_COLOR: "1" }, screen), false);
  assert.equal(hasColors({ NO_COLOR: "" }, screen), true);
  assert.equal(hasColors({ FORCE_COLOR: "1", NO_COLOR: "1" }, {}), true);
  assert.equal(hasColors({ FORCE_COLOR: "" }, {}), true);
  assert.equal(hasColors({ FORCE_COLOR: "0" }, screen), false);
});

test("the command: narrow on a screen, whole and plain in a pipe, in colour where it is forced", async () => {
  const screen = openScreen(env, { screenColumns: () => 60 });
  await list(screen.terminal, { limit: 20, call: [] });
  assert.match(screen.text(), /<green active>/);
  const widths = screen
    .text()
    .split("\n")
    .map((line) => line.replaceAll(/<\w+ (\w+)>/g, "$1").length);
  assert.ok(Math.max(...widths) <= 60, screen.text());
  const piped = await commands.run(["keys", "list"], { env });
  assert.match(piped.stdout, /^apikey_\w{26} .* active .* sk-plinth-\S+ /m);
  assert.ok(!piped.stdout.includes("\u001b"), piped.stdout);
  const forced = await commands.run(["keys", "list"], { env: { ...env, FORCE_COLOR: "1" } });
  assert.ok(forced.stdout.includes("\u001b[32mactive\u001b[39m"), forced.stdout);
});
