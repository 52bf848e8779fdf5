// Rules AUD16 to AUD19 with an address: sinks that fail, hang, close and refuse, and secrets that stand nowhere.
import assert from "node:assert/strict";
import { test } from "node:test";
import { sql } from "../../kernel/sql/statement.ts";
import * as audit from "../../server/audit/module.ts";
import { startExport } from "../../server/audit/sink/exporter.ts";
import { exportLimits } from "../../server/audit/sink/limits.ts";
import { openHouse } from "../house.ts";
import {
  expectWholeLogs,
  openSink,
  readLines,
  repeatsIn,
  untilExported,
  writeEvents,
} from "./audit-export-house.ts";
import { localNetwork } from "./federation-house.ts";
import { until } from "./support.ts";
import { allText } from "./text.ts";

const secret = "Bearer hunter2-of-the-sink";
const settingsFor = (url: string, more: object = {}) => ({
  name: "default",
  target: {
    kind: "http" as const,
    url,
    header: "authorization",
    secret,
    timeoutMs: 5_000,
    ...more,
  },
});
const exporting = (url: string, more: object = {}) => ({
  sections: { ...localNetwork, audit_export: settingsFor(url, more) },
});

test("[AUD15] [AUD16] an address gets all events in order, in posts of lines with the secret in its header", async () => {
  await using sink = await openSink();
  await using house = await openHouse(exporting(sink.url));
  const { platform, enterprise } = house.organizations;
  for (let n = 0; n < 10; n++)
    await writeEvents(house.world, [platform, enterprise][n % 2]!, [`n${n}`]);
  const names = Array.from({ length: exportLimits.linesMax + 100 }, (_, index) => `m${index}`);
  await writeEvents(house.world, platform, names);
  await untilExported(house.world.db);
  await expectWholeLogs(house.world.db, sink.lines());
  assert.equal(repeatsIn(sink.lines()), 0);
  for (const { headers, body } of sink.posts) {
    assert.equal(headers["content-type"], "application/x-ndjson");
    assert.equal(headers.authorization, secret);
    assert.ok(body.endsWith("\n"));
    assert.ok(body.split("\n").length - 1 <= exportLimits.linesMax);
  }
});

test("[AUD16] [AUD18] a sink that fails in every way gets all events, in order, some of them twice", async () => {
  await using sink = await openSink();
  await using house = await openHouse(exporting(sink.url, { timeoutMs: 400 }));
  const { platform, other } = house.organizations;
  const { world } = house;
  const told = (words: RegExp) =>
    until(async () => {
      const [check] = await audit.checkAuditExport(world);
      return check !== undefined && words.test(check.found);
    }, String(words));
  await untilExported(world.db);
  const kept: string[] = [];
  const faults: [Parameters<typeof sink.answers>[0], RegExp][] = [
    [(response) => response.writeHead(500).end("no"), /it answered with the status 500\./],
    // It has them, and does not say so: they come again.
    [
      (response, { body }) => {
        kept.push(body);
        response.destroy();
      },
      /it broke off before it had answered/,
    ],
    [() => {}, /it did not answer whole within 0\.4 seconds\./],
    [
      (response) => response.writeHead(307, { location: "https://elsewhere.example/" }).end(),
      /it answered with a redirect \(307\), which is not followed\./,
    ],
  ];
  for (const [number, [answer, words]] of faults.entries()) {
    sink.answers(answer);
    await writeEvents(world, number % 2 === 0 ? platform : other, [`fault ${number}`, "behind it"]);
    await told(words);
    sink.answers(undefined);
    await untilExported(world.db);
  }
  const all = sink.lines();
  await expectWholeLogs(world.db, all);
  const received = [...kept.flatMap((body) => readLines(body).lines), ...all];
  assert.ok(repeatsIn(received) > 0, "what the sink did not own up to came again");
  const again = house.log.filter(({ message }) => message === "the audit log is exported again");
  assert.equal(again.length, faults.length);
});

test("[AUD18] a sink that takes less at once gets less at once", async () => {
  await using sink = await openSink();
  await using house = await openHouse(exporting(sink.url));
  const { platform } = house.organizations;
  await untilExported(house.world.db);
  const accepted: string[] = [];
  sink.answers((response, { body }) => {
    const isTooLarge = body.split("\n").length - 1 > 20;
    if (!isTooLarge) accepted.push(body);
    response.writeHead(isTooLarge ? 413 : 200).end();
  });
  const names = Array.from({ length: 90 }, (_, index) => `m${index}`);
  await writeEvents(house.world, platform, names);
  await untilExported(house.world.db);
  const lines = [...sink.lines(), ...accepted.flatMap((body) => readLines(body).lines)];
  await expectWholeLogs(house.world.db, lines);
  assert.equal(repeatsIn(lines), 0);
});

test("[AUD17] a server that stops while the sink hangs ends soon, and its successor begins behind what is known", async () => {
  await using sink = await openSink();
  await using house = await openHouse({ sections: localNetwork });
  const { platform } = house.organizations;
  let hung: () => void = () => {};
  const hanging = new Promise<void>((resolve) => (hung = resolve));
  sink.answers(() => hung());
  const settings = settingsFor(sink.url, { timeoutMs: 60_000 });
  const stop = startExport(house.world, settings);
  await hanging;
  const startedMs = performance.now();
  await stop();
  assert.ok(performance.now() - startedMs < 10_000);
  const [row] = await house.world.db.query<{ held: boolean }>(sql`
    select lease_owner is not null as held from audit_exports`);
  assert.deepEqual(row, { held: false }, "the next one need not wait for the lease to end");
  sink.answers(undefined);
  await writeEvents(house.world, platform, ["afterwards"]);
  const stopNext = startExport(house.world, settings);
  await untilExported(house.world.db);
  await stopNext();
  await expectWholeLogs(house.world.db, sink.lines());
});

test("[AUD19] a private address is refused as a webhook's is, and nothing goes there", async () => {
  await using sink = await openSink();
  const url = sink.url.replace("127.0.0.1", "localhost").replace("http:", "https:");
  await using house = await openHouse({ sections: { audit_export: settingsFor(url) } });
  const check = await until(async () => {
    const [found] = await audit.checkAuditExport(house.world);
    return found?.state === "warn" && found;
  }, "the warning");
  assert.match(check.found, /it leads to \S+, which is not an address of the public internet/);
  assert.deepEqual(sink.posts, []);
});

test("[AUD19] neither the secret nor the address's path stands in a log, an error, the database or what is shown", async () => {
  await using sink = await openSink();
  await using house = await openHouse(exporting(sink.url));
  sink.answers((response) => response.writeHead(500).end(secret));
  await until(async () => {
    const [found] = await audit.checkAuditExport(house.world);
    return found?.found.includes("status 500") === true;
  }, "the warning");
  const shown = [
    JSON.stringify(house.log),
    await allText(house.world.db),
    JSON.stringify(await audit.checkAuditExport(house.world)),
    JSON.stringify((await house.ask("GET", "/readyz")).body),
    String((await house.ask("GET", "/metrics")).body),
  ];
  for (const [index, text] of shown.entries())
    assert.ok(!/hunter2|hidden-in-the-path/.test(text), `it stands in what was shown as ${index}`);
  assert.ok(sink.posts.length > 0);
});
