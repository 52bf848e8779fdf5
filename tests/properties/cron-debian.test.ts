// Cron against the fire times that Debian's cron gives, and where the two differ on purpose.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { nextCron, parseCron } from "../../kernel/cron/cron.ts";

const beginMs = Date.UTC(2027, 0, 1);
const endMs = Date.UTC(2030, 0, 1);
const countedMax = 600;

/** Each section's lines, split at their bars; the lines that explain a section have none. */
const sections = new Map(
  readFileSync(join(import.meta.dirname, "cron-debian.golden"), "utf8")
    .split("\n## ")
    .map((text) => {
      const [title = "", ...lines] = text.trim().split("\n");
      return [title, lines.map((line) => line.split(" | "))];
    }),
);
const linesOf = (title: string, least: number): string[][] => {
  const lines = sections.get(title)?.filter((line) => line.length > 1) ?? [];
  assert.ok(lines.length >= least, `${title}: ${lines.length} lines`);
  return lines;
};

/** As a line of the golden file says it. */
function fires(expression: string): string[] {
  const cron = parseCron(expression);
  const times: number[] = [];
  let at: Date | undefined = new Date(beginMs - 1);
  while (times.length < countedMax) {
    at = nextCron(cron, "UTC", at);
    if (at === undefined || at.getTime() >= endMs) break;
    times.push(at.getTime());
  }
  const sum = times.reduce((all, ms) => all + (ms - beginMs) / 60_000, 0);
  const words = times.map((ms) => new Date(ms).toISOString().replace(":00.000Z", "Z"));
  if (times.length === 0) return ["0"];
  return [String(times.length), String(sum), words.slice(0, 3).join(" "), words.at(-1) ?? ""];
}

test("[CRN4] expressions fire when Debian's cron fires them", () => {
  for (const [expression = "", ...expected] of linesOf("Alike", 180))
    assert.deepEqual(fires(expression), expected, expression);
});

test("[CRN4] a value with a step goes on to the end, and only a bare * leaves a day field out", () => {
  for (const [expression = "", spelled = "", ...expected] of linesOf("Meant differently", 30)) {
    assert.deepEqual(fires(expression), expected, expression);
    assert.deepEqual(fires(spelled), expected, spelled);
  }
});

test("[CRN5] what Debian's cron refuses is refused, and so is what it takes by names or by chance", () => {
  for (const title of ["Refused by both", "Taken by Debian's cron alone"])
    for (const [expression = ""] of linesOf(title, 20))
      assert.throws(() => parseCron(expression), /cron expression/, expression);
});
