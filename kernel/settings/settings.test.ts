// Settings: which source wins, and that nothing is misread in silence.
import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { test, type TestContext } from "node:test";
import fc from "fast-check";
import { Type } from "typebox";
import { ExitError } from "../base/failure.ts";
import { defineSection } from "./define.ts";
import { loadSettings, type LoadOptions } from "./load.ts";
import { editDistance, nearest } from "../base/nearest.ts";
import { describeSettings } from "./settings.ts";

const machine = { cpus: 3, terminal: false, home: "/opt/plinth" };

async function bench(t: TestContext, content?: string | object) {
  const directory = await mkdtemp(`${tmpdir()}/plinth-settings-`);
  t.after(() => rm(directory, { recursive: true, force: true }));
  const text = typeof content === "object" ? JSON.stringify(content) : content;
  if (text !== undefined) await writeFile(`${directory}/plinth.config.json`, text);
  const load = (given: Partial<LoadOptions> = {}) =>
    loadSettings({ env: {}, flags: {}, workingDirectory: directory, machine, ...given });
  return { directory, load };
}

const refuses = (act: () => unknown, message: RegExp) =>
  assert.throws(act, (error) => {
    assert.ok(error instanceof ExitError, String(error));
    assert.match(error.message, message);
    assert.equal(error.exitCode, 2);
    return true;
  });

test("[SET1] with nothing set, everything has a value that works", async (t) => {
  const { load } = await bench(t);
  assert.deepEqual(load().settings, {
    dataDir: "/opt/plinth/data",
    host: "127.0.0.1",
    port: 8787,
    workers: 0,
    log: "json",
    logLevel: "info",
    publicUrl: undefined,
    peerAddress: undefined,
    databaseUrl: undefined,
    upstream: undefined,
    upstreamModel: undefined,
    mailPassword: undefined,
    webSearchKey: undefined,
    auditExportSecret: undefined,
    masterKey: undefined,
    metricsToken: undefined,
    otlpEndpoint: undefined,
    otlpHeaders: undefined,
    otlpServiceName: "plinth",
    traceHeadersTo: [],
    proxies: 0,
    corsOrigins: [],
    drainSeconds: 30,
    lameDuckSeconds: 2,
  });
  assert.equal(load({ machine: { ...machine, terminal: true } }).settings.log, "pretty");
});

test("[SET2] the environment goes over the file, and flags over both", async (t) => {
  const { directory, load } = await bench(t, { port: 1, host: "a", workers: 2, data_dir: "d" });
  const env = { PLINTH_PORT: "2", PLINTH_HOST: "b", PLINTH_LOG_LEVEL: "" };
  const { settings, file } = load({
    env,
    flags: { port: "3", "log-level": "warn", host: undefined },
  });
  assert.deepEqual(
    [settings.port, settings.host, settings.workers, settings.logLevel],
    [3, "b", 2, "warn"],
  );
  assert.equal(settings.dataDir, `${directory}/d`);
  assert.equal(file, `${directory}/plinth.config.json`);
  assert.equal(load({ flags: { dataDir: "../x" } }).settings.dataDir, `${tmpdir()}/x`);
  const elsewhere = load({ file: `${directory}/plinth.config.json`, workingDirectory: "/" });
  assert.equal(elsewhere.settings.dataDir, `${directory}/d`);
});

test("[SET2] a list is an array in the file, and has commas elsewhere", async (t) => {
  const origins = ["https://app.example.com", "http://localhost:5173", "capacitor://localhost"];
  const { load } = await bench(t, { cors_origins: origins });
  assert.deepEqual(load().settings.corsOrigins, origins);
  const env = { PLINTH_CORS_ORIGINS: "https://a.example, *" };
  assert.deepEqual(load({ env }).settings.corsOrigins, ["https://a.example", "*"]);
  const flags = { corsOrigins: "https://b.example" };
  assert.deepEqual(load({ env, flags }).settings.corsOrigins, ["https://b.example"]);
  for (const wrong of [
    "https://a.example/",
    "https://A.example",
    "a.example",
    "https://a:443,",
    "null",
  ])
    refuses(
      () => load({ flags: { corsOrigins: wrong } }),
      /cors_origins .*must be origins without a path/,
    );
  for (const wrong of [7, [7], Array.from({ length: 101 }, () => "*"), { a: 1 }]) {
    const { load: loadWrong } = await bench(t, { cors_origins: wrong });
    refuses(() => loadWrong(), /cors_origins .*must be origins without a path.*100 at most/);
  }
});

test("[SET6] the collector of traces has OpenTelemetry's names too", async (t) => {
  const { load } = await bench(t);
  const env = {
    OTEL_EXPORTER_OTLP_ENDPOINT: "http://collector:4318/",
    OTEL_EXPORTER_OTLP_HEADERS: "x-tenant=a, authorization=Bearer%20hush",
    OTEL_SERVICE_NAME: "gateway",
  };
  const { otlpEndpoint, otlpHeaders, otlpServiceName } = load({ env }).settings;
  assert.deepEqual(
    [otlpEndpoint, otlpHeaders, otlpServiceName],
    ["http://collector:4318", env.OTEL_EXPORTER_OTLP_HEADERS, "gateway"],
  );
  for (const wrong of ["hush", "a b=hush", "a=hush%0d%0ax", "a=%zz"])
    refuses(() => load({ env: { OTEL_EXPORTER_OTLP_HEADERS: wrong } }), /otlp_headers/);
});

test("[SET6] DATABASE_URL counts, and two that differ refuse", async (t) => {
  const { load } = await bench(t);
  const url = "postgres://u:hush@db/x";
  assert.equal(load({ env: { DATABASE_URL: url } }).settings.databaseUrl, url);
  const both = { DATABASE_URL: url, PLINTH_DATABASE_URL: url };
  assert.equal(load({ env: both }).settings.databaseUrl, url);
  refuses(() => load({ env: { ...both, DATABASE_URL: `${url}y` } }), /both set and differ/);
});

test("[SET3] [SET5] a name that is not known refuses, says where, and guesses", async (t) => {
  const { load } = await bench(t);
  refuses(
    () => load({ env: { PLINTH_PROT: "1" } }),
    /no setting PLINTH_PROT \(in the environment\): did you mean PLINTH_PORT\?$/,
  );
  refuses(
    () => load({ flags: { prot: 1 } }),
    /--prot \(in the command line\): did you mean --port\?/,
  );
  refuses(() => load({ flags: { masterKey: "x" } }), /no setting --master-key/);
  refuses(() => load({ env: { PLINTH_QQQQQQQQ: "1" } }), /known are PLINTH_DATA_DIR, PLINTH_HOST,/);
  const typo = await bench(t, { databse_url: "x" });
  refuses(
    () => typo.load(),
    /no setting databse_url \(in \/.*plinth\.config\.json\): did you mean database_url\?/,
  );
});

test("[SET3] what belongs to tests, to the client and to Kubernetes is passed by", async (t) => {
  const { load } = await bench(t, { $schema: "https://example.org/s.json" });
  const env = {
    PLINTH_TEST_ANYTHING: "1",
    PLINTH_API_KEY: "k",
    PLINTH_SERVICE_HOST: "10.0.0.1",
    PLINTH_SERVICE_PORT_HTTP: "8787",
    PLINTH_PORT_8787_TCP_ADDR: "10.0.0.1",
    PLINTH_PORT: "tcp://10.0.0.1:8787",
    OTHER: "x",
  };
  assert.equal(load({ env }).settings.port, 8787);
});

test("[SET4] a value that may not be refuses with its place, the value and what is allowed", async (t) => {
  const { load } = await bench(t);
  for (const port of ["-1", "65536", "80.5", "1e3", "abc", " 80"])
    refuses(
      () => load({ env: { PLINTH_PORT: port } }),
      new RegExp(`^port \\(PLINTH_PORT\\) is "${port}" and must be a whole number from 0 to 65535`),
    );
  refuses(
    () => load({ flags: { log: "xml" } }),
    /--log\) is "xml" and must be one of json, pretty/,
  );
  refuses(() => load({ flags: { workers: true } }), /--workers\) is true and must/);
  const url =
    /^public_url \(PLINTH_PUBLIC_URL\) is "(x|ftp:\/\/a)" and must be an http or https address/;
  for (const bad of ["x", "ftp://a"]) refuses(() => load({ env: { PLINTH_PUBLIC_URL: bad } }), url);
  const env = { PLINTH_PUBLIC_URL: "https://a.example/base/" };
  assert.equal(load({ env }).settings.publicUrl, "https://a.example/base");
  const file = await bench(t, { port: "x", host: 7 });
  refuses(() => file.load(), /^host in \/.*plinth\.config\.json is 7 and must be a host name/);
});

test("[SET4] a value that another source goes over is looked at all the same", async (t) => {
  const { load } = await bench(t, { port: "x" });
  const over = { env: { PLINTH_PORT: "2" }, flags: { port: 3 } };
  refuses(() => load(over), /^port in \/.*plinth\.config\.json is "x" and must be a whole number/);
  const { load: loadNone } = await bench(t);
  const wrong = { env: { PLINTH_PORT: "y" }, flags: { port: 3 } };
  refuses(() => loadNone(wrong), /^port \(PLINTH_PORT\) is "y" and must be a whole number/);
});

test("[SET5] an address that holds a password or a key is refused without it", async (t) => {
  const { load } = await bench(t);
  const holding = [
    "http://me:hush@h/x",
    "http://:hush@h/x",
    "http://hush@h/x",
    "me:hush@h/x",
    "http://h/?key=hush",
    "http://h/#hush",
  ];
  for (const variable of ["PLINTH_UPSTREAM", "PLINTH_PUBLIC_URL"])
    for (const value of holding)
      assert.throws(
        () => load({ env: { [variable]: value } }),
        ({ message }: Error) =>
          !message.includes("hush") &&
          / must be .* without user name, password, query or fragment\.$/.test(message),
        `${variable}=${value}`,
      );
  refuses(() => load({ env: { PLINTH_HOST: "me:hush@h" } }), /\(PLINTH_HOST\) must be a host name/);
});

test("[SET5] the value of a secret is never shown, and a key does not live in the file", async (t) => {
  const { load } = await bench(t);
  for (const [env, name] of [
    [{ DATABASE_URL: "mysql://hush" }, "database_url"],
    [{ PLINTH_METRICS_TOKEN: "hush" }, "metrics_token"],
  ] as const)
    assert.throws(
      () => load({ env }),
      (error: Error) => error.message.startsWith(name) && !error.message.includes("hush"),
    );
  const file = await bench(t, { master_key: "hush" });
  refuses(() => file.load(), /master_key does not belong into .*: set PLINTH_MASTER_KEY/);
});

test("[SET7] a file that is no JSON refuses with line and column, and is not quoted", async (t) => {
  for (const [text, place] of [
    ['{\n  "port": 1,\n  "host" hush\n}', "it breaks at line 3, column 10"],
    ['{\n  "port": 1', "it ends too early at line 2, column 12"],
    ["", "it ends too early at line 1, column 1"],
    ['{"port": 1,}', "it breaks at line 1, column 12"],
  ] as const) {
    const { load } = await bench(t, text);
    refuses(load, new RegExp(`plinth\\.config\\.json is not JSON: ${place}\\.$`));
    assert.throws(load, (error: Error) => !error.message.includes("hush"));
  }
  const list = await bench(t, "[]");
  refuses(list.load, /must hold one JSON object/);
  refuses(() => list.load({ file: "none.json" }), /no settings file .*\/none\.json/);
  refuses(() => list.load({ env: { PLINTH_CONFIG: "no.json" } }), /no settings file .*\/no\.json/);
});

test("[SET8] a noun's section is checked by its schema and falls back where it is missing", async (t) => {
  const upstreams = defineSection({
    name: "upstreams",
    describe: "Where models run.",
    schema: Type.Array(
      Type.Object(
        {
          url: Type.String(),
          weight: Type.Optional(Type.Integer({ minimum: 1 })),
          kind: Type.Optional(Type.Enum(["near", "far"])),
        },
        { additionalProperties: false },
      ),
    ),
    fallback: [],
  });
  const sections = [upstreams];
  const none = await bench(t);
  assert.deepEqual(none.load({ sections }).section(upstreams), []);
  const good = await bench(t, { port: 9, upstreams: [{ url: "u", weight: 2 }] });
  assert.equal(good.load({ sections }).section(upstreams)[0]?.weight, 2);
  refuses(() => good.load(), /no setting upstreams/);
  assert.throws(() => none.load().section(upstreams), /was not loaded/);
  for (const [value, message] of [
    [[{ url: "u", weight: 0 }], /^upstreams\[0\]\.weight in \/.* must be >= 1\.$/],
    [[{ url: "u" }, { url: "u", wieght: 1 }], /^upstreams\[1\]\.wieght in .* is not a name/],
    [[{}], /^upstreams\[0\] in .* must have required properties url/],
    [{}, /^upstreams in .* must be array/],
    [[{ url: "u", kind: "odd" }], /^upstreams\[0\]\.kind in .* must be one of near, far\.$/],
  ] as const) {
    const bad = await bench(t, { upstreams: value });
    refuses(() => bad.load({ sections }), message);
  }
  const typo = await bench(t, { upstrems: [] });
  refuses(() => typo.load({ sections }), /did you mean upstreams\?/);
});

test("the distance between names is a distance", () => {
  const word = fc.string({ maxLength: 12 });
  fc.assert(
    fc.property(word, word, word, (a, b, c) => {
      assert.equal(editDistance(a, b), editDistance(b, a));
      assert.equal(editDistance(a, b) === 0, a === b);
      assert.ok(editDistance(a, c) <= editDistance(a, b) + editDistance(b, c));
    }),
  );
  assert.equal(editDistance("kitten", "sitting"), 3);
  assert.equal(nearest("zzzz", ["port", "host"]), undefined);
});

test("[SET9] every setting is described, with its names", () => {
  const all = describeSettings();
  assert.equal(all.length, 24);
  for (const { describe, must, fallback } of all)
    assert.ok(describe.endsWith(".") && must && fallback);
  assert.deepEqual(
    all.find(({ name }) => name === "database_url"),
    {
      name: "database_url",
      describe: "The Postgres to use; without one the server runs its own in the data directory.",
      must: "a postgres:// address",
      fallback: "not set",
      file: "database_url",
      env: ["PLINTH_DATABASE_URL", "DATABASE_URL"],
      flag: "--database-url",
      secret: true,
    },
  );
  assert.equal(all.find(({ name }) => name === "master_key")?.flag, undefined);
});
