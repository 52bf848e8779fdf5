// What the command line, the environment and the file say, and what is refused before anything starts.
import assert from "node:assert/strict";
import { existsSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { once } from "node:events";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { testDatabase, type TestDatabase } from "../postgres.ts";
import { runRefused } from "./in-process.ts";
import { ask, expectRefusal, openCommandRunner, urlOf, type CommandRunner } from "./plinth.ts";

let runner: CommandRunner;
let database: TestDatabase;
const password = "do-not-print-me";
before(async () => {
  runner = openCommandRunner();
  database = await testDatabase();
});
after(async () => {
  await runner[Symbol.asyncDispose]();
  await database[Symbol.asyncDispose]();
});

/** The one that belongs to the database, with its master key. */
const data = () => join(runner.directory, "data");

let places = 0;

/** A working directory with that settings file. */
function placeWith(content: string): string {
  const directory = join(runner.directory, `place ${++places}`);
  mkdirSync(directory);
  writeFileSync(join(directory, "plinth.config.json"), content);
  return directory;
}

/** In this process; that the executable ends so, too, is seen where a port is taken. */
const refused = (args: string[], options: { env?: Record<string, string>; cwd?: string } = {}) =>
  runRefused(args, { cwd: runner.directory, ...options });

test("--version and --help", async () => {
  const [version, help, ofStart] = await Promise.all([
    runner.run(["--version"]),
    runner.run(["--help"]),
    runner.run(["start", "--help"]),
  ]);
  assert.equal(version.code, 0);
  assert.match(version.stdout, /^\d+\.\d+\.\d+\S*\n$/);
  assert.equal(help.code, 0);
  for (const word of ["Examples:", "plinth start", "plinth init --json", "setup-link", "doctor"])
    assert.ok(help.stdout.includes(word), word);
  assert.equal(ofStart.code, 0);
  for (const flag of ["--port", "--host", "--data-dir", "--workers", "8787"])
    assert.ok(ofStart.stdout.includes(flag), flag);
  assert.equal(help.stderr + ofStart.stderr + version.stderr, "");
});

test("flags win over the environment, and that over the file", async () => {
  const cwd = placeWith(JSON.stringify({ public_url: "http://file.example", host: "127.0.0.1" }));
  const common = { DATABASE_URL: urlOf(database), PLINTH_DATA_DIR: data() };
  const env = { ...common, PLINTH_PUBLIC_URL: "http://environment.example" };
  const flag = ["--public-url", "http://flag.example"];
  const linkOf = async (args: string[], env: Record<string, string>) => {
    const { code, stdout, stderr } = await runner.run(["setup-link", ...args], { env, cwd });
    assert.equal(code, 0, stderr);
    return new URL(stdout.trim()).origin;
  };
  const made = await runner.run(["init", "--json"], { env: common, cwd });
  assert.match(made.stdout, /http:\/\/file\.example\/setup#token=/);
  assert.equal(await linkOf([], common), "http://file.example");
  assert.equal(await linkOf([], env), "http://environment.example");
  assert.equal(await linkOf(flag, env), "http://flag.example");
});

test("what is not understood is refused, also where something else overrides it", async () => {
  const cwd = placeWith('{ "data_dir": 5 }');
  expectRefusal(
    await refused(["doctor", "--data-dir", data()], { cwd }),
    /data_dir in .*plinth\.config\.json is 5 and must be a path/,
  );
  const env = { PLINTH_PORT: "many" };
  expectRefusal(await refused(["start", "--port", "0"], { env }), /PLINTH_PORT.* must be/);
});

test("a data directory has a name", async () => {
  for (const empty of ["", "  "])
    expectRefusal(await refused(["start", "--data-dir", empty]), /data_dir.* must be a path/);
});

test("a range of addresses that is none is refused", async () => {
  const cwd = placeWith('{ "network": { "allow_private_addresses": ["10.0.0.0/8", "10/8"] } }');
  expectRefusal(
    await refused(["doctor", "--data-dir", data()], { cwd }),
    /network\.allow_private_addresses in .*plinth\.config\.json: "10\/8" is not a range/,
  );
});

test("a settings file that cannot be read is told in a sentence", async () => {
  const asDirectory = placeWith("{}");
  rmSync(join(asDirectory, "plinth.config.json"));
  mkdirSync(join(asDirectory, "plinth.config.json"));
  expectRefusal(await refused(["doctor"], { cwd: asDirectory }), /: it is a directory\./);
  const dangling = placeWith("{}");
  rmSync(join(dangling, "plinth.config.json"));
  symlinkSync("nowhere", join(dangling, "plinth.config.json"));
  expectRefusal(await refused(["doctor"], { cwd: dangling }), /: it is a link to nothing\./);
});

test("doctor makes nothing", async () => {
  const fresh = join(runner.directory, "fresh");
  const { stdout } = await runner.run(["doctor", "--json", "--port", "0", "--data-dir", fresh]);
  const { checks } = JSON.parse(stdout) as { checks: { name: string; found: string }[] };
  assert.match(checks.find(({ name }) => name === "database")?.found ?? "", /not made yet/);
  assert.equal(existsSync(fresh), false);
});

test("an unknown setting is refused, naming the nearest", async () => {
  const [inFile, inEnv, onLine] = [
    await refused(["start"], { cwd: placeWith('{ "prot": 1 }') }),
    await refused(["start"], { env: { PLINTH_PROT: "1" } }),
    await refused(["start", "--prot", "1"]),
  ];
  expectRefusal(inFile, /no setting prot .*plinth\.config\.json.*did you mean port\?/);
  expectRefusal(inEnv, /no setting PLINTH_PROT .*environment.*did you mean PLINTH_PORT\?/);
  assert.ok(onLine.code !== 0);
  assert.match(onLine.stderr, /unknown option '--prot'[\s\S]*--port/);
});

test("a value that is none is refused, naming where it stands", async () => {
  const [inFile, inEnv, onLine] = [
    await refused(["start"], { cwd: placeWith('{ "port": "many" }') }),
    await refused(["start"], { env: { PLINTH_PORT: "65536" } }),
    await refused(["start", "--port", "-1"]),
  ];
  expectRefusal(inFile, /port .*plinth\.config\.json.*"many".*from 0 to 65535/);
  expectRefusal(inEnv, /PLINTH_PORT.*"65536".*from 0 to 65535/);
  assert.ok(onLine.code !== 0);
  assert.match(onLine.stderr, /--port/);
});

test("a broken settings file is refused with line and column", async () => {
  const broken = '{\n  "port": 8787,\n  "host" "127.0.0.1"\n}\n';
  const told = await refused(["start"], { cwd: placeWith(broken) });
  expectRefusal(told, /plinth\.config\.json is not JSON: .*line 3, column \d+/);
  const named = await refused(["start", "--config", "nothing.json"]);
  expectRefusal(named, /no settings file .*nothing\.json/);
  const before = await refused(["--config", "nothing.json", "start"]);
  expectRefusal(before, /no settings file .*nothing\.json/);
});

test("a data directory that cannot be made is refused", async () => {
  const file = join(runner.directory, "a file");
  writeFileSync(file, "");
  const told = await runner.run(["start", "--port", "0", "--data-dir", join(file, "data")]);
  expectRefusal(told, /The data directory .*a file\/data cannot be made/);
});

test("a port that is taken is refused, naming it", async () => {
  const other = createServer().listen(0, "127.0.0.1");
  await once(other, "listening");
  const { port } = other.address() as { port: number };
  const env = { DATABASE_URL: urlOf(database) };
  const args = ["start", "--port", String(port), "--data-dir", data()];
  try {
    for (const workers of ["1", "2"]) {
      const { code, stderr } = await runner.run([...args, "--workers", workers], { env });
      assert.equal(code, 1);
      assert.match(stderr, new RegExp(`^plinth: Port ${port} on 127.0.0.1 is in use`, "m"));
      assert.doesNotMatch(stderr, /\n\s+at /);
    }
  } finally {
    other.close();
  }
});

test("/metrics wants the metrics_token of the environment", async () => {
  const token = "sixteen-characters-or-more";
  const env = { DATABASE_URL: urlOf(database), PLINTH_METRICS_TOKEN: token };
  const args = ["--workers", "1", "--data-dir", data()];
  const server = await runner.start(args, { env });
  assert.equal((await ask(server.url, "/metrics")).status, 401);
  const headers = { authorization: `Bearer ${token}`, connection: "close" };
  assert.equal((await fetch(`${server.url}/metrics`, { headers })).status, 200);
  assert.equal((await server.stop()).code, 0);
});

test("what is no address of a database is refused without being shown", async () => {
  const env = { DATABASE_URL: `mysql://somebody:${password}@127.0.0.1/plinth` };
  const told = await refused(["start", "--port", "0"], { env });
  expectRefusal(told, /DATABASE_URL.*postgres:\/\//);
  assert.ok(!told.stderr.includes(password));
});
