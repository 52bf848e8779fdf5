// The real program is killed while it exports the audit log: another start goes on, and loses and reorders nothing.
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { urlOf } from "../commands/plinth.ts";
import { workersOf } from "../durability-kill.ts";
import { kill, scratch, until } from "../kernel/sql-harness.ts";
import { testDatabase } from "../postgres.ts";
import {
  expectWholeLogs,
  openSink,
  readLines,
  repeatsIn,
  textOf,
  untilExported,
} from "../rules/audit-export-house.ts";
import {
  ask,
  initOwner,
  killGroup,
  nothingLeft,
  runPlinth,
  signIn,
  startPlinth,
} from "./plinth.ts";

const secret = "Bearer hunter2-of-the-sink";

/** A data directory, a database and an owner; `exporting` writes the section and gives the options of a start. */
async function openScene() {
  await using opening = new AsyncDisposableStack();
  const home = opening.use(scratch());
  const database = opening.use(await testDatabase());
  const data = join(home.path, "data");
  const config = join(home.path, "plinth.config.json");
  const env = {
    DATABASE_URL: urlOf(database),
    PLINTH_CONFIG: config,
    PLINTH_AUDIT_EXPORT_SECRET: secret,
  };
  const configure = (audit_export: object) =>
    writeFileSync(
      config,
      JSON.stringify({ network: { allow_private_addresses: ["127.0.0.0/8"] }, audit_export }),
    );
  const closing = opening.move();
  return {
    data,
    home: home.path,
    db: database.db,
    env,
    configure,
    [Symbol.asyncDispose]: () => closing.disposeAsync(),
  };
}

/** Changes one after another, each an event, until it is told to stop; answers how many were acknowledged. */
async function keepChanging(url: string, headers: Record<string, string>) {
  const body = { name: "renamed again and again", kind: "api" };
  const made = await ask(url, "POST", "/console/api/keys", { headers, body });
  assert.equal(made.status, 200, JSON.stringify(made.body));
  const path = `/console/api/keys/${made.body.id}`;
  let acknowledged = 0;
  const over = new AbortController();
  const running = (async () => {
    for (let n = 0; !over.signal.aborted; n++) {
      const body = { name: `name ${n} of ${headers["origin"]}` };
      const { status } = await ask(url, "POST", path, { headers, body, msMax: 10_000 });
      if (status === 200) acknowledged += 1;
    }
  })();
  return {
    acknowledged: () => acknowledged,
    stop: async () => {
      over.abort();
      await running;
    },
  };
}

test("[AUD17] kill -9 of the server and of its workers while a file is written loses and reorders nothing", async () => {
  await using scene = await openScene();
  const { data, db, env, configure } = scene;
  configure({ file: "audit.jsonl" });
  const path = join(scene.home, "audit.jsonl");
  const owner = await initOwner(data, [], { env });
  for (const victim of ["server", 0, 1] as const) {
    const plinth = await startPlinth(data, { env, args: ["--workers", "2"] });
    try {
      const changing = await keepChanging(plinth.url, await signIn(plinth.url, owner));
      const grows = async (what: string) => {
        const size = textOf(path).length;
        await until(what, () => textOf(path).length > size + 3_000);
      };
      await grows("events are exported");
      if (victim !== "server") {
        kill(workersOf(plinth.pid)[victim] ?? assert.fail("there is no such worker"));
        await grows("the other worker exports, or does again");
      }
      await plinth.killed();
      await changing.stop();
    } finally {
      killGroup(plinth.child);
    }
  }
  const last = await startPlinth(data, { env });
  await untilExported(db);
  const { lines } = readLines(textOf(path));
  assert.ok((await expectWholeLogs(db, lines)) > 20);
  assert.equal((await last.stop()).code, 0);
  await nothingLeft(scene.home);
});

test("[AUD17] [AUD19] what a sink had taken when the server was killed comes again, and the doctor tells of a sink that is away", async () => {
  await using scene = await openScene();
  const { data, db, env, configure } = scene;
  await using sink = await openSink();
  configure({ url: sink.url });
  await initOwner(data, [], { env });
  // It takes lines, and never says so.
  sink.answers(() => {});
  const first = await startPlinth(data, { env });
  await until("the first post", () => sink.posts.length === 1);
  await first.killed();
  sink.answers((response) => response.writeHead(503).end());
  const second = await startPlinth(data, { env });
  await until("the second post", () => sink.posts.length > 1);
  const doctor = await runPlinth(["doctor", "--json", "--data-dir", data], { env });
  const checks = (JSON.parse(doctor.out) as { checks: { name: string; found: string }[] }).checks;
  const found = checks.find(({ name }) => name === "audit export")?.found ?? "";
  assert.match(
    found,
    /^127\.0\.0\.1:\d+, since \S+: it answered with the status 503\. \d+ events to come/,
  );
  sink.answers(undefined);
  await untilExported(db);
  await expectWholeLogs(db, sink.lines());
  const all = sink.posts.flatMap(({ body }) => readLines(body).lines);
  assert.ok(repeatsIn(all) > 0);
  assert.ok(sink.posts.every(({ headers }) => headers.authorization === secret));
  assert.equal((await second.stop()).code, 0);
  for (const said of [first.said(), second.said(), doctor.out, doctor.err])
    assert.ok(!/hunter2|hidden-in-the-path/.test(said), said);
});

test("[AUD15] a section that cannot be is refused at the start, in words without the address or the secret", async () => {
  using home = scratch();
  const config = join(home.path, "plinth.config.json");
  const tries: [object, RegExp][] = [
    [{}, /audit_export of \S+ needs a file or a url, and not both/],
    [{ file: "a", url: "https://siem.example/" }, /needs a file or a url, and not both/],
    [{ url: "http://siem.example/hidden" }, /has a url that is refused: it must begin with https/],
    [{ url: "https://10.1.2.3/hidden" }, /has a url that is refused: it leads to 10\.1\.2\.3/],
    [{ url: "https://hidden:hidden@siem.example/" }, /must not hold a user name or a password/],
    [{ url: "https://siem.example/", header: "Host" }, /names the header Host/],
    [{ file: "a", fiel: "b" }, /audit_export/],
  ];
  for (const [section, words] of tries) {
    writeFileSync(config, JSON.stringify({ audit_export: section }));
    const args = ["start", "--data-dir", join(home.path, "data"), "--port", "0"];
    const ran = await runPlinth(args, {
      env: { PLINTH_CONFIG: config, PLINTH_AUDIT_EXPORT_SECRET: secret },
    });
    assert.equal(ran.code, 2, ran.err);
    assert.match(ran.err, words);
    assert.ok(!/hidden|hunter2/.test(ran.err), ran.err);
  }
});
