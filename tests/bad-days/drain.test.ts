// SIGTERM while much is going on: what can finish finishes, what only waits is let go, what never ends is cut.
import assert from "node:assert/strict";
import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { join } from "node:path";
import { test } from "node:test";
import pg from "pg";
import { socketDirectoryOf } from "../../kernel/sql/embedded/postmaster.ts";
import { scratch, until } from "../kernel/sql-harness.ts";
import { ask, initOwner, nothingLeft, type Owner, startPlinth } from "./plinth.ts";

/** A connection by hand, and everything that came back on it. */
async function line(url: string): Promise<{ socket: Socket; heard(): string; over(): boolean }> {
  const { hostname, port } = new URL(url);
  const socket = connect({ host: hostname, port: Number(port) });
  let heard = "";
  socket.on("data", (bytes) => (heard += bytes.toString())).on("error", () => {});
  await once(socket, "connect");
  return { socket, heard: () => heard, over: () => socket.closed };
}

/** The head of a sign-in and the first half of its body. */
function beginUpload(socket: Socket, owner: Owner): string {
  const { owner_email: email, owner_password: password } = owner;
  const body = JSON.stringify({ email, password });
  const head = `POST /console/api/sign_in HTTP/1.1\r\nhost: plinth\r\ncontent-type: application/json`;
  socket.write(`${head}\r\ncontent-length: ${body.length}\r\n\r\n${body.slice(0, 20)}`);
  return body.slice(20);
}

test("uploads and slow answers finish, idle connections are let go, and it ends with 0", async () => {
  using home = scratch();
  const data = join(home.path, "data");
  const owner = await initOwner(data);
  const plinth = await startPlinth(data);
  const sql = new pg.Client({
    host: socketDirectoryOf(join(data, "postgres")),
    user: "plinth",
    database: "plinth",
  });
  await sql.connect();
  const idle = await line(plinth.url);
  idle.socket.write("GET /healthz HTTP/1.1\r\nhost: plinth\r\n\r\n");
  await until("the idle connection was used once", () => idle.heard().includes('{"status":"ok"}'));
  const upload = await line(plinth.url);
  const rest = beginUpload(upload.socket, owner);
  await sql.query("begin; lock table keys in access exclusive mode");
  const headers = { "x-api-key": owner.admin_api_key };
  const slow = ask(plinth.url, "GET", "/v1/organizations/api_keys", { headers });
  const waits = "select from pg_stat_activity where wait_event_type = 'Lock'";
  await until("the slow request waits", async () => (await sql.query(waits)).rowCount === 1);

  const stopping = plinth.stop();
  await until("the idle connection is let go", idle.over);
  assert.equal((await ask(plinth.url, "GET", "/healthz")).status, 0, "nobody new is let in");
  upload.socket.write(rest.slice(0, 10));
  upload.socket.write(rest.slice(10));
  await until("the upload is answered", () => upload.heard().includes("\r\n\r\n{"));
  assert.match(upload.heard(), /^HTTP\/1\.1 200 [^]*connection: close/i);
  await sql.query("rollback");
  await sql.end();
  const releasedAt = performance.now();
  assert.equal((await slow).status, 200);
  assert.equal((await stopping).code, 0, plinth.said());
  const ms = performance.now() - releasedAt;
  assert.ok(ms < 5_000, `it ended ${Math.round(ms)} ms after the last answer`);
  await nothingLeft(home.path);
});

for (const workers of ["1", "2"])
  test(`--drain-seconds 1 cuts what does not end, workers: ${workers}`, async () => {
    using home = scratch();
    const data = join(home.path, "data");
    const owner = await initOwner(data);
    const args = ["--drain-seconds", "1", "--workers", workers];
    const unused = await (await startPlinth(data, { args })).stop();
    const plinth = await startPlinth(data, { args });
    const upload = await line(plinth.url);
    beginUpload(upload.socket, owner);
    const { code, ms } = await plinth.stop();
    assert.equal(code, 0, plinth.said());
    // 3 s, and more only where a stop with nothing under way takes as long.
    const msMax = Math.max(3_000, 1_750 + 1.5 * unused.ms);
    assert.ok(ms < msMax, `it took ${Math.round(ms)} ms, and ${Math.round(unused.ms)} unused`);
    await until("the connection is cut", upload.over);
    await nothingLeft(home.path);
  });
