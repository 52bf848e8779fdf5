// The blobs of a database are lost: a start refuses, doctor names it, --adopt-blobs starts it and says what is gone.
import assert from "node:assert/strict";
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { urlOf } from "../commands/plinth.ts";
import { scratch, until } from "../kernel/sql-harness.ts";
import { testDatabase } from "../postgres.ts";
import { ask, initOwner, runPlinth, startPlinth } from "./plinth.ts";

interface Check {
  name: string;
  state: string;
  found: string;
}

const oneWorker = ["--workers", "1"];

/** What doctor says of the files. */
async function filesOf(directory: string, env: { DATABASE_URL: string }) {
  const args = ["doctor", "--json", "--data-dir", directory];
  const { out } = await runPlinth(args, { env });
  const { checks } = JSON.parse(out) as { checks: Check[] };
  return checks.find(({ name }) => name === "files");
}

test("[OPS8] a database without its blobs starts with --adopt-blobs, and what is lost is told", async () => {
  // At hand, in place of one of its own: what is lost here are files, and each command is quicker by its start.
  await using database = await testDatabase();
  using home = scratch();
  const env = { DATABASE_URL: urlOf(database) };
  const data = join(home.path, "data");
  const owner = await initOwner(data, [], { env });
  const headers = { "x-api-key": owner.api_key };
  const first = await startPlinth(data, { env, args: oneWorker });
  const form = new FormData();
  form.set("file", new File(["some text"], "notes.txt", { type: "text/plain" }));
  const uploaded = await fetch(`${first.url}/v1/files`, { method: "POST", headers, body: form });
  const { id: file } = (await uploaded.json()) as { id: string };
  const body = {
    requests: [
      {
        custom_id: "one",
        params: {
          model: "sim-large",
          max_tokens: 8,
          messages: [{ role: "user", content: "Hello" }],
        },
      },
    ],
  };
  const batches = "/v1/messages/batches";
  const { id: batch } = (await ask(first.url, "POST", batches, { headers, body })).body;
  await until("the batch ends", async () => {
    const { body: now } = await ask(first.url, "GET", `${batches}/${batch}`, { headers });
    return now.processing_status === "ended";
  });
  assert.equal(
    (await ask(first.url, "GET", `${batches}/${batch}/results`, { headers })).status,
    200,
  );
  await first.stop();
  assert.equal((await filesOf(data, env))?.found, "all that the database names are here");

  rmSync(join(data, "blobs"), { recursive: true });
  const start = ["start", "--data-dir", data, "--port", "0", ...oneWorker];
  const refused = await runPlinth(start, { env });
  assert.equal(refused.code, 1);
  assert.match(
    refused.err,
    /files of the database, store_.* --adopt-blobs if the database's files/,
  );
  assert.equal(existsSync(join(data, "blobs")), false, "a refused start makes nothing");
  const named = await filesOf(data, env);
  assert.equal(named?.state, "fail");
  assert.match(named?.found ?? "", /blobs holds none of this database/);

  const again = await startPlinth(data, { env, args: ["--adopt-blobs", ...oneWorker] });
  await until("it says what is lost", () =>
    again.said().includes("Lost for good: the bytes of 1 file; results of 1 batch."),
  );
  const results = await ask(again.url, "GET", `${batches}/${batch}/results`, { headers });
  assert.equal(results.status, 404);
  assert.equal(results.body.error.details.error_code, "content_lost");
  assert.match(results.body.error.message, /Results of the message batch .* are lost/);
  const content = [{ type: "document", source: { type: "file", file_id: file } }];
  const asked = await ask(again.url, "POST", "/v1/messages", {
    headers,
    body: { model: "sim-large", max_tokens: 8, messages: [{ role: "user", content }] },
  });
  assert.equal(asked.status, 404);
  assert.match(asked.body.error.message, /The content of the file .* is lost/);
  await again.stop();
  const after = await filesOf(data, env);
  assert.deepEqual(
    [after?.state, after?.found],
    ["warn", "lost: the bytes of 1 file; results of 1 batch"],
  );
});

test("[OPS8] blobs of another database are not adopted", async () => {
  await using database = await testDatabase();
  using home = scratch();
  const env = { DATABASE_URL: urlOf(database) };
  const data = join(home.path, "data");
  const owner = await initOwner(data, [], { env });
  const first = await startPlinth(data, { env, args: oneWorker });
  const form = new FormData();
  form.set("file", new File(["text"], "notes.txt", { type: "text/plain" }));
  await fetch(`${first.url}/v1/files`, {
    method: "POST",
    headers: { "x-api-key": owner.api_key },
    body: form,
  });
  await first.stop();
  const id = readFileSync(join(data, "blobs/store-id"), "utf8");
  writeFileSync(join(data, "blobs/store-id"), `store_${"0".repeat(32)}\n`);
  const args = ["start", "--data-dir", data, "--port", "0", "--adopt-blobs", ...oneWorker];
  const refused = await runPlinth(args, { env });
  assert.equal(refused.code, 1);
  assert.match(refused.err, /blobs is not empty \(it holds objects\/.*nothing is adopted/);
  writeFileSync(join(data, "blobs/store-id"), id);

  const elsewhere = join(home.path, "elsewhere");
  const wrongKey = { ...env, PLINTH_MASTER_KEY: Buffer.alloc(32, 7).toString("base64") };
  const strange = ["start", "--data-dir", elsewhere, "--port", "0", "--adopt-blobs", ...oneWorker];
  const { err } = await runPlinth(strange, { env: wrongKey });
  assert.match(err, /The master key is not the one/);
  assert.ok(!existsSync(join(elsewhere, "blobs")), "nothing is adopted with another key");
});
