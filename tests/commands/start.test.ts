// `plinth start` with the built-in database, and what an operator does beside the running server.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, mkdirSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { until } from "../rules/support.ts";
import {
  ask,
  executable,
  expectRefusal,
  madeBy,
  openCommandRunner,
  refusesConnections,
  slowRequest,
  tokenIn,
  type Result,
  type Server,
  type CommandRunner,
} from "./plinth.ts";

let runner: CommandRunner;
let server: Server;
let data: string;
let viaLink: { command: string; env: Record<string, string>; cwd: string };
before(async () => {
  runner = openCommandRunner();
  data = join(runner.directory, "data of the server");
  viaLink = oddPlace();
  server = await runner.start(["--data-dir", data], viaLink);
});
after(() => runner[Symbol.asyncDispose]());

/** Two links away, from a directory of its own, where `node` is a script that fails. */
function oddPlace() {
  const bin = join(runner.directory, "bin");
  const cwd = join(runner.directory, "some where");
  for (const path of [bin, cwd]) mkdirSync(path);
  writeFileSync(join(bin, "node"), "#!/bin/sh\necho this node is broken >&2; exit 99\n", {
    mode: 0o755,
  });
  symlinkSync(executable, join(bin, "plinth-1"));
  symlinkSync("plinth-1", join(bin, "plinth"));
  return { command: join(bin, "plinth"), env: { PATH: `${bin}:/usr/bin:/bin` }, cwd };
}

const me = "/v1/organizations/me";

async function expectCleanEnd(ended: Promise<Result>): Promise<void> {
  const { code, stderr } = await ended;
  assert.equal(code, 0, stderr);
  // It was waited for, and did not only slip through before the cut.
  assert.match(stderr, /"finished":1,"cut":0,"message":"no longer listening"/);
}

test("the first line of standard output says where it listens, alone", () => {
  const { stdout } = server.printed();
  assert.match(stdout, /^plinth listening on http:\/\/127\.0\.0\.1:\d+\n/);
  assert.equal(stdout.match(/plinth listening on/g)?.length, 1);
});

test("it is ready when it says so", async () => {
  assert.equal((await ask(server.url, "/readyz")).status, 200);
});

test("the printed first request works as it stands in a shell", async () => {
  const { stdout } = server.printed();
  const command = /^ {2}(curl .+)$/m.exec(stdout)?.[1] ?? assert.fail(stdout);
  assert.doesNotMatch(stdout, /sk-plinth-(admin|api|oat)/, "what is printed ends up in logs");
  const shell = spawn("sh", ["-c", `${command} -sS -w '\\n%{http_code}'`], { cwd: "/" });
  let printed = "";
  shell.stdout.on("data", (text) => (printed += String(text)));
  shell.stderr.on("data", (text) => (printed += String(text)));
  await once(shell, "close");
  assert.match(printed, /"type":"message","role":"assistant","model":"sim-large"/);
  assert.match(printed, /\n200$/);
});

test("the printed set-up link makes an owner, once", async () => {
  const token = tokenIn(server.printed().stdout);
  const body = {
    token,
    email: "first@start.example",
    password: "a good long password",
    organization_name: "First of all",
  };
  const { status, body: made } = await ask(server.url, "/console/api/setup", { body });
  assert.equal(status, 200, JSON.stringify(made));
  assert.equal(made.organization.name, "First of all");
  assert.equal(made.user.role, "primary_owner");
  assert.equal((await ask(server.url, "/console/api/setup", { body })).status, 401);
});

test("a second server on the same directory is refused", async () => {
  const second = await runner.run(["start", "--port", "0", "--data-dir", data]);
  expectRefusal(second, /Another plinth runs on .*data of the server/);
});

test("init beside the running server: its address, and secrets that work there at once", async () => {
  const made = madeBy(
    await runner.run(["init", "--json", "--data-dir", data, "--organization", "Beside"], viaLink),
  );
  assert.ok(made.setup_url.startsWith(`${server.url}/setup#token=`), made.setup_url);
  const { status, body } = await ask(server.url, me, { key: made.admin_api_key });
  assert.deepEqual([status, body.id, body.name], [200, made.organization_id, "Beside"]);
  const again = await runner.run([
    "init",
    "--json",
    "--data-dir",
    data,
    "--organization",
    "BESIDE",
  ]);
  expectRefusal(again, /the name "BESIDE" is taken/);
});

test("setup-link beside the running server", async () => {
  const unclear = await runner.run(["setup-link", "--data-dir", data]);
  expectRefusal(unclear, /name one with --organization/);
  const unknown = await runner.run(["setup-link", "--data-dir", data, "--organization", "Nobody"]);
  expectRefusal(unknown, /no organization Nobody/);
  const args = ["setup-link", "--data-dir", data, "--organization", "first of ALL"];
  const { code, stdout } = await runner.run(args);
  assert.equal(code, 0);
  assert.ok(stdout.startsWith(`${server.url}/setup#token=`), stdout);
  const body = { token: tokenIn(stdout), password: "yet another password" };
  const { status, body: made } = await ask(server.url, "/console/api/setup", { body });
  assert.deepEqual([status, made.user?.email], [200, "first@start.example"]);
});

test("migrate beside the running server has nothing to do", async () => {
  const { code, stdout } = await runner.run(["migrate", "--data-dir", data]);
  assert.equal(code, 0);
  assert.match(stdout, /^The database is at migration (\d+) of \1\.\n$/);
});

test("doctor --json says what works", async () => {
  const { stdout } = await runner.run(["doctor", "--json", "--data-dir", data]);
  const { checks } = JSON.parse(stdout) as { checks: { name: string; state: string }[] };
  assert.ok(checks.length > 3);
  for (const { state } of checks) assert.match(state, /^(ok|warn|fail)$/);
  assert.equal(checks.find(({ name }) => name === "database")?.state, "ok", stdout);
});

test("doctor asks the port of the server that holds the data directory, and says whose another one is", async () => {
  const found = async (...args: string[]) => {
    const { stdout } = await runner.run(["doctor", "--json", ...args]);
    const { checks } = JSON.parse(stdout) as { checks: { name: string; found: string }[] };
    return checks.find(({ name }) => name === "port")?.found;
  };
  const place = `127.0.0.1:${server.port}`;
  const ours = `${place} is answered by the server of this data directory`;
  assert.equal(await found("--data-dir", data), ours);
  assert.equal(
    await found("--data-dir", join(runner.directory, "other"), "--port", `${server.port}`),
    `${place} is answered by a Plinth with another data directory`,
  );
});

test("nobody else can hold its locks", () => {
  const locks = ["server.lock", "postgres.lock"].map((name) => join(data, name));
  for (const lock of locks) assert.equal(statSync(lock).mode & 0o777, 0o600, lock);
});

test("SIGTERM lets the request that runs finish, however often it comes, and ends with 0", async () => {
  const slow = await slowRequest(server.port);
  const ended = server.stop("SIGTERM");
  await until(() => refusesConnections(server.url), "the end of listening");
  for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"] as const) void server.stop(signal);
  const heard = await slow.finish();
  assert.match(heard, /HTTP\/1\.1 401 /);
  assert.match(heard, /The e-mail or the password is wrong/);
  await expectCleanEnd(ended);
});

test("the note of a server that was killed is not believed, and its open locks are closed", async () => {
  const killed = await runner.start(["--data-dir", data]);
  await killed.stop("SIGKILL");
  chmodSync(join(data, "server.lock"), 0o644);
  const link = await runner.run(["setup-link", "--data-dir", data, "--organization", "Beside"]);
  assert.ok(link.stdout.startsWith("http://127.0.0.1:8787/setup#token="), link.stdout);
  assert.equal(statSync(join(data, "server.lock")).mode & 0o777, 0o600);
});

test("after a change of the master key it starts again, with everything there; SIGHUP ends it as well", async () => {
  const rotated = await runner.run(["rotate-master-key", "--data-dir", data]);
  assert.equal(rotated.code, 0, rotated.stderr);
  const again = await runner.start(["--data-dir", data]);
  const { stdout } = again.printed();
  assert.doesNotMatch(stdout, /#token=/, "all organizations have their owner");
  const body = { email: "first@start.example", password: "yet another password" };
  assert.equal((await ask(again.url, "/console/api/sign_in", { body })).status, 200);
  const slow = await slowRequest(again.port);
  const ended = again.stop("SIGHUP");
  await until(() => refusesConnections(again.url), "the end of listening");
  assert.match(await slow.finish(), /HTTP\/1\.1 401 /);
  await expectCleanEnd(ended);
});
