// Broken or foreign directories and settings: a start says so in a sentence, ends, and leaves nothing running.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { type AddressInfo, createServer, type Server } from "node:net";
import { once } from "node:events";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { isRoot, scratch } from "../kernel/sql-harness.ts";
import { initOwner, nothingLeft, type PlinthOptions, runPlinth } from "./plinth.ts";

const home = scratch();
const data = join(home.path, "data");
const keyFile = join(data, "secrets/master-keys.json");
const storeFile = join(data, "blobs/store-id");

before(() => initOwner(data));
after(() => home[Symbol.dispose]());

interface Attempt extends PlinthOptions {
  directory?: string;
  code?: number;
}

async function refuses(sentence: RegExp, attempt: Attempt = {}): Promise<void> {
  const { directory = data, args = [], code = 1, env = {} } = attempt;
  const port = args.includes("--port") ? [] : ["--port", "0"];
  const ran = await runPlinth(["start", "--data-dir", directory, ...port, ...args], {
    env,
  });
  const told = `ended with ${ran.code ?? ran.signal} after ${Math.round(ran.ms)} ms: ${ran.err}`;
  assert.equal(ran.code, code, told);
  assert.match(ran.err, /(^|\n)plinth: [A-Z/a-z_].+[.?]\n$/, told);
  assert.match(ran.err, sentence, told);
  assert.doesNotMatch(ran.err, /^\s+at |Error:|node:internal/m, told);
  assert.equal(ran.out, "");
  await nothingLeft(directory);
}

/** The file with another text, and back again. */
async function withFile(path: string, text: string, work: () => Promise<void>): Promise<void> {
  const whole = readFileSync(path);
  writeFileSync(path, text);
  try {
    await work();
  } finally {
    writeFileSync(path, whole);
  }
}

const otherKey = JSON.stringify({
  version: 1,
  keys: [{ id: "k00000001", key: Buffer.alloc(32, 7).toString("base64"), created_at: "" }],
});

test("a settings file that is no JSON, or names what there is not", async () => {
  const file = join(home.path, "broken.json");
  writeFileSync(file, '{"port": 80,');
  const env = { PLINTH_CONFIG: file };
  await refuses(/broken\.json is not JSON: it ends too early at line 1/, { env, code: 2 });
  writeFileSync(file, '{"prot": 80}');
  await refuses(/no setting prot .*did you mean port\?/, { env, code: 2 });
});

test("a data directory where none can be made", { skip: process.platform !== "linux" }, () =>
  refuses(/The data directory \/proc\/foo cannot be made/, { directory: "/proc/foo" }),
);

test("master keys of another user are not changed", { skip: !isRoot }, async () => {
  const ran = await runPlinth(["rotate-master-key", "--data-dir", data], { uid: 65_534 });
  assert.equal(ran.code, 1, ran.err);
  assert.match(ran.err, /^plinth: The master keys in .* cannot be changed .*\n$/);
});

test("a master key that is damaged, gone, or of another installation", async () => {
  await withFile(keyFile, '{"version":1,"keys":[{"id":', () => refuses(/is damaged: put it back/));
  await withFile(keyFile, "", () => refuses(/is empty: put it back/));
  await withFile(keyFile, otherKey, () =>
    refuses(/not the one that this database was set up with/),
  );
  const text = readFileSync(keyFile);
  rmSync(keyFile);
  await refuses(/master keys that this database was set up with are not in .*put the file back/);
  const rotated = await runPlinth(["rotate-master-key", "--data-dir", data]);
  assert.equal(rotated.code, 1, rotated.out);
  assert.equal(existsSync(keyFile), false, "what is refused makes no keys");
  writeFileSync(keyFile, text, { mode: 0o600 });
  const env = { PLINTH_MASTER_KEY: "too short" };
  await refuses(/PLINTH_MASTER_KEY must be 32 bytes/, { env });
});

test("a blob directory without a readable name, or of another store", async () => {
  await withFile(storeFile, "store_garbage\n", () => refuses(/does not hold a store id/));
  const other = `store_${"0".repeat(32)}\n`;
  await withFile(storeFile, other, () => refuses(/belong to store_0+, but the database belongs/));
});

test("a data directory that cannot be one", async () => {
  const file = join(home.path, "a-file");
  writeFileSync(file, "");
  await refuses(/data directory .*a-file/, { directory: file });
  await refuses(/data directory .*a-file/, { directory: join(file, "below") });
});

test(
  "a data directory on a read-only disk",
  { skip: !isRoot && "mounting needs root" },
  async () => {
    const directory = join(home.path, "read-only");
    mkdirSync(directory);
    assert.equal(spawnSync("mount", ["-t", "tmpfs", "-o", "ro", "tmpfs", directory]).status, 0);
    try {
      await refuses(/may not write to .*read-only/, { directory });
    } finally {
      spawnSync("umount", [directory]);
    }
  },
);

for (const workers of ["1", "2"])
  test(`[OPS6] a port that is taken is told before anything is made, workers: ${workers}`, async () => {
    await using server = await listening(createServer());
    const { port } = server.address() as AddressInfo;
    const directory = join(home.path, `never-${workers}`);
    const args = ["--port", `${port}`, "--workers", workers];
    await refuses(new RegExp(`Port ${port} on 127.0.0.1 is in use`), { args, directory });
    assert.equal(existsSync(directory), false, "the data directory was made");
  });

test("a database that is too old, not there, or no database at all", async () => {
  const directory = join(home.path, "external");
  const url = ({ port }: AddressInfo) => `postgres://plinth:hunter2@127.0.0.1:${port}/plinth`;
  await using old = await listening(oldPostgres("14.9"));
  await using mute = await listening(
    createServer((socket) => socket.on("error", () => {}).resume()),
  );
  await using closed = await listening(createServer());
  const closedAddress = closed.address() as AddressInfo;
  await closed[Symbol.asyncDispose]();
  const tries = [
    { sentence: /is PostgreSQL 14\.9; Plinth needs 15 or newer/, address: old.address() },
    { sentence: /cannot be used: .*ECONNREFUSED/, address: closedAddress },
    { sentence: /cannot be used: .*timeout/, address: mute.address() },
  ];
  await Promise.all(
    tries.map(({ sentence, address }, number) =>
      refuses(sentence, {
        directory: `${directory}-${number}`,
        env: { DATABASE_URL: url(address as AddressInfo) },
      }),
    ),
  );
});

async function listening(server: Server): Promise<Server> {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return server;
}

/** Speaks just enough of the protocol to be asked for its version. */
function oldPostgres(version: string): Server {
  const message = (type: string, ...parts: Buffer[]) => {
    const body = Buffer.concat(parts);
    const head = Buffer.alloc(5);
    head.write(type);
    head.writeInt32BE(body.length + 4, 1);
    return Buffer.concat([head, body]);
  };
  const int16 = (value: number) => Buffer.from([value >> 8, value & 255]);
  const int32 = (value: number) => Buffer.from([0, 0, value >> 8, value & 255]);
  const ready = message("Z", Buffer.from("I"));
  const columns = { version, encoding: "UTF8", connections: "100" };
  const described = Object.keys(columns).map((name) =>
    Buffer.concat([Buffer.from(`${name}\0`), Buffer.alloc(6), int32(25), Buffer.alloc(8)]),
  );
  const values = Object.values(columns).map((value) =>
    Buffer.concat([int32(value.length), Buffer.from(value)]),
  );
  return createServer((socket) => {
    socket.on("error", () => {});
    socket.once("data", () => {
      socket.write(Buffer.concat([message("R", int32(0)), ready]));
      socket.on("data", (asked: Buffer) => {
        if (asked[0] !== "Q".charCodeAt(0)) return;
        const rows = [message("T", int16(3), ...described), message("D", int16(3), ...values)];
        socket.write(Buffer.concat([...rows, message("C", Buffer.from("SELECT 1\0")), ready]));
      });
    });
  });
}
