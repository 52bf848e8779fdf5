// Rules EWK9, EWK11, EWK13, EWK14 and EWK18: how a worker begins, what it keeps, what it says, and how it ends.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { text as textIn } from "node:stream/consumers";
import { after, before, test } from "node:test";
import { systemClock } from "../../kernel/base/clock.ts";
import { makeTeller, type Report } from "../../server/environment_worker/report.ts";
import { executable } from "../commands/plinth.ts";
import { openHouse, type House } from "../house.ts";
import { ofType } from "../rules/sessions-house.ts";
import { nearly, until } from "../rules/support.ts";
import { bash, sleeping, temporaryDirectory, workersOf } from "./worker-house.ts";

let house: House;
before(async () => {
  house = await openHouse();
});
after(() => house[Symbol.asyncDispose]());
const { open, start, turnEnd, results, call, env, sessions } = workersOf(() => house);

/** `plinth worker` as a person starts it. */
function command(hosted: { id: string; key: string }, ...more: string[]) {
  const words = [
    "worker",
    "--environment",
    hosted.id,
    "--directory",
    temporaryDirectory(),
    ...more,
  ];
  const { PATH = "" } = process.env;
  const child = spawn(executable, words, {
    cwd: temporaryDirectory(),
    env: { PATH, HOME: "/nowhere", PLINTH_BASE_URL: house.url, PLINTH_ENVIRONMENT_KEY: hosted.key },
    stdio: ["ignore", "pipe", "pipe"],
  });
  after(() => void child.kill("SIGKILL"));
  const said = Promise.all([textIn(child.stdout), textIn(child.stderr)]);
  return {
    kill: (signal: NodeJS.Signals) => child.kill(signal),
    ended: once(child, "close").then(async ([code]) => {
      const [stdout, stderr] = await said;
      return { code: code as number | null, stdout, stderr };
    }),
  };
}

test("[EWK9] keys that are mistyped, of another environment, revoked or of one that is deleted end it", async () => {
  const [hosted, other, gone] = [await open(), await open(), await open()];
  await env.good("DELETE", `/${gone.id}`);
  for (const [key, words] of [
    [nearly(hosted.key), /does not take the key/],
    [other.key, /there is no environment env_/],
    [gone.key, /does not take the key/],
  ] as const) {
    const { ended } = start({ id: hosted.id, key });
    await assert.rejects(ended, (error: Error & { exitCode?: number }) => {
      assert.match(error.message, words);
      assert.match(error.message, /plinth environments keys create env_/);
      return error.exitCode === 3;
    });
  }
  const worker = start(hosted);
  await worker.tells("connected");
  await env.good("POST", `/${hosted.id}/keys/${hosted.keyId}/revoke`);
  await assert.rejects(worker.ended, /does not take the key/);
});

test("[EWK9] the command says so in a sentence, with the exit code 3", async () => {
  const hosted = await open();
  const { code, stdout, stderr } = await command({ id: hosted.id, key: nearly(hosted.key) }).ended;
  assert.match(
    stderr,
    /^plinth: The server does not take the key in PLINTH_ENVIRONMENT_KEY: .+\n$/,
  );
  assert.deepEqual([code, stdout], [3, ""]);
});

test("[EWK9] work of an archived environment is done as before", async () => {
  const hosted = await open();
  const { session } = await hosted.calling(bash("echo done"));
  await env.archive(hosted.id);
  const worker = start(hosted);
  await turnEnd(session);
  assert.deepEqual(await results(session), ["done"]);
  await worker.stop();
});

test("[EWK11][EWK18] Ctrl-C lets the call that runs end, and leaves the others to the next worker", async () => {
  const hosted = await open();
  const { session, calls } = await hosted.calling(
    `${bash("sleep 2.75; echo ended")} | ${bash("echo two")}`,
  );
  const { kill, ended } = command(hosted, "--json");
  await until(async () => sleeping(2.75) === 1, "the call to run");
  kill("SIGINT");
  const { code, stdout, stderr } = await ended;
  assert.deepEqual([code, stderr], [0, ""]);
  const told = stdout
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as Report & { at: string });
  assert.deepEqual(
    told.map(({ type }) => type),
    ["connected", "took", "stopping", "ran", "sent", "done"],
  );
  assert.ok(told.every(({ at }) => !Number.isNaN(Date.parse(at))));
  assert.deepEqual(await results(session), ["ended"]);
  const last = (await sessions.idle(session)).at(-1);
  assert.deepEqual(last?.["stop_reason"], { type: "requires_action", event_ids: [calls[1]] });
  const worker = start(hosted);
  await turnEnd(session);
  assert.deepEqual(await results(session), ["ended", "two"]);
  await worker.stop();
});

test("[EWK11] a call that runs for longer than its time gets a result that says so", async () => {
  const hosted = await open();
  const { session } = await hosted.calling(`${bash("sleep 400001")} | ${bash("echo two")}`);
  const worker = start(hosted, { graceMs: 100 });
  await until(async () => sleeping(400_001) === 1, "the call to run");
  await worker.stop();
  assert.equal(sleeping(400_001), 0);
  const [only, ...others] = await results(session);
  assert.match(only ?? "", /^error: The worker was stopped while this call ran/);
  assert.deepEqual(others, []);
});

test("[EWK11] a second Ctrl-C ends all at once", async () => {
  const hosted = await open();
  const { session } = await hosted.calling(bash("sleep 400002"));
  const { kill, ended } = command(hosted);
  await until(async () => sleeping(400_002) === 1, "the call to run");
  kill("SIGINT");
  kill("SIGTERM");
  const { code, stdout, stderr } = await ended;
  assert.equal(code, 130);
  assert.match(
    stdout,
    /^connected to http.* for env_\w+; sandboxes: linux: .*\nsesn_\w+ taken \(work_\w+\)\n$/,
  );
  assert.match(stderr, /^stopping: 1 call has 30 s to end; .*\nplinth: Ended at once\.\n$/);
  await until(async () => sleeping(400_002) === 0, "its processes to be gone");
  assert.deepEqual(await results(session), []);
});

test("[EWK13] files of a session are there for its next work, until they were kept for as long as they are to be", async () => {
  const hosted = await open();
  const directory = temporaryDirectory();
  const { session } = await hosted.calling(bash("echo kept >file"));
  const other = await hosted.calling(bash("echo other >file"));
  const first = start(hosted, { directory });
  await turnEnd(session);
  await turnEnd(other.session);
  await first.stop();
  await call(session, bash("cat file"));
  const second = start(hosted, { directory });
  await turnEnd(session);
  await second.stop();
  assert.deepEqual(ofType(second.told, "removed"), []);
  const third = start(hosted, { directory, keepMs: 1 });
  const removed = await third.tells("removed");
  await third.tells("removed", (report) => report.session !== removed.session);
  await call(session, bash("cat file || echo gone"));
  await turnEnd(session);
  await third.stop();
  const [, kept = "", gone = ""] = await results(session);
  assert.equal(kept, "kept");
  assert.match(gone, /gone/);
});

test("[EWK13] what belongs to a session goes with it", async () => {
  const hosted = await open();
  const { session } = await hosted.calling(bash("echo here >file"));
  const worker = start(hosted);
  await worker.tells("sent");
  await turnEnd(session);
  assert.equal((await sessions.remove(session)).status, 200);
  assert.equal((await worker.tells("removed")).session, session);
  await worker.stop();
});

test("[EWK14] two workers have no directory together, and a machine without sandboxes is refused", async () => {
  const hosted = await open();
  const directory = temporaryDirectory();
  const worker = start(hosted, { directory });
  await worker.tells("connected");
  await assert.rejects(
    start(hosted, { directory }).ended,
    /^ExitError: Another worker uses .*--directory/,
  );
  await worker.stop();
  const sections = { sandbox: { rootfs: temporaryDirectory() } };
  await assert.rejects(start(hosted, { directory, sections }).ended, {
    name: "ExitError",
    exitCode: 1,
  });
  const again = start(hosted, { directory });
  await again.tells("connected");
  await again.stop();
});

test("[EWK18] what a server says is shown in one line and steers no terminal", () => {
  const written: string[] = [];
  const noted: string[] = [];
  const terminal = {
    write: (text: string) => void written.push(text),
    note: (text: string) => void noted.push(text),
  };
  const tell = makeTeller(terminal, { isJson: false, clock: systemClock });
  tell({ type: "ran", session: "sesn_1", tool: "bash", call: "c", ms: 120, is_error: false });
  tell({ type: "failed", session: "sesn_1", reason: "\u001b[2Jcleared\nand more" });
  assert.deepEqual(written, ["sesn_1 ran bash 120 ms\n"]);
  assert.deepEqual(noted, ["sesn_1: \uFFFD[2Jcleared\uFFFDand more\n"]);
});
