// The table of settings in the README is what the table of settings in the code says.
import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { describeSettings } from "../../kernel/settings/settings.ts";

const path = join(import.meta.dirname, "../../README.md");
const around = /(<!-- settings: [^>]* -->\n)([\s\S]*?)(<!-- end of settings -->)/;

function table(): string {
  const rows = describeSettings().map(({ file, env = [], flag, fallback, describe, must }) => {
    const names = [file, ...env, flag].map((name) => (name === undefined ? "" : `\`${name}\``));
    const [inFile, ...rest] = names;
    const onCommandLine = rest.pop();
    const text = `${describe} Must be ${must}.`.replaceAll("|", "\\|");
    return `| ${inFile} | ${rest.join(" ")} | ${onCommandLine} | ${fallback} | ${text} |`;
  });
  return [
    "| In the file | In the environment | Flag | Default | What |",
    "|---|---|---|---|---|",
    ...rows,
    "",
  ].join("\n");
}

test("the README's table of settings is the code's", () => {
  const readme = readFileSync(path, "utf8");
  const stored = around.exec(readme)?.[2];
  assert.ok(stored !== undefined, "the README has no place for the table of settings");
  if (process.env["PLINTH_UPDATE_GOLDEN"] === "1")
    writeFileSync(
      path,
      readme.replace(around, (_, before, __, after) => before + table() + after),
    );
  else assert.equal(stored, table(), "it is stale: npm test -- --update-golden settings-table");
});
