// Files as the unchanged client uploads, lists, names, downloads and deletes them, in both namespaces.
import assert from "node:assert/strict";
import { createReadStream, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import Anthropic, { toFile } from "@anthropic-ai/sdk";
import { makeManualClock, systemClock, type Clock } from "../../kernel/base/clock.ts";
import { openHouse, type House } from "../house.ts";
import { filesOf, type Files } from "../rules/files-house.ts";
import { failing, listeningClient } from "./messages-client.ts";

const wall = makeManualClock(new Date());
let house: House;
let files: Files;
before(async () => {
  const clock: Clock = { ...systemClock, now: () => wall.now() };
  house = await openHouse({ clock, sections: { files: { organization_bytes_max: 10_000 } } });
  files = filesOf(house);
});
after(() => house[Symbol.asyncDispose]());

type Namespace = Anthropic["beta"]["files"];

const namespaces: Record<string, (client: Anthropic) => Namespace> = {
  "client.files": (client) => client.files,
  "client.beta.files": (client) => client.beta.files,
};

for (const [name, of] of Object.entries(namespaces)) {
  test(`${name}: upload, metadata, list, delete`, async () => {
    const { client } = listeningClient(house);
    const made = await of(client).upload({
      file: await toFile(Buffer.from("# Notes"), "folder/notes.md", { type: "text/markdown" }),
      expires_in_seconds: 3_600,
      ...(name.includes("beta") && { betas: ["files-api-2025-04-14"] }),
    });
    assert.match(made.id, /^file_/);
    const { filename, mime_type, size_bytes, type, downloadable, scope } = made;
    assert.deepEqual(
      { filename, mime_type, size_bytes, type, downloadable, scope },
      {
        filename: "notes.md",
        mime_type: "text/markdown",
        size_bytes: 7,
        type: "file",
        downloadable: false,
        scope: null,
      },
    );
    const lasts = Date.parse(made.expires_at ?? "") - Date.parse(made.created_at);
    assert.equal(lasts, 3_600_000);
    const again = await of(client).retrieveMetadata(made.id);
    assert.deepEqual({ ...again }, { ...made });
    const others = [
      await of(client).upload({ file: new File(["a"], "a.txt") }),
      await of(client).upload({ file: await toFile(Buffer.from("b"), "b.txt") }),
    ];
    const seen: string[] = [];
    for await (const { id } of of(client).list({ limit: 2 })) seen.push(id);
    assert.deepEqual(seen, [made, ...others].map(({ id }) => id).toReversed());
    const page = await of(client).list({ ids: [made.id, "file_none"] });
    assert.deepEqual(
      page.data.map(({ id }) => id),
      [made.id],
    );
    assert.equal(page.hasNextPage(), false);
    for (const id of seen)
      assert.deepEqual({ ...(await of(client).delete(id)) }, { id, type: "file_deleted" });
    await failing(Anthropic.NotFoundError, of(client).retrieveMetadata(made.id));
  });

  test(`${name}: a stream from the disk is taken, and a tool's file comes back`, async () => {
    const { client } = listeningClient(house);
    const folder = mkdtempSync(join(tmpdir(), "plinth-files-"));
    try {
      const path = join(folder, "table.csv");
      writeFileSync(path, "a,b\n1,2\n");
      const { id, filename } = await of(client).upload({ file: createReadStream(path) });
      assert.equal(filename, "table.csv");
      await of(client).delete(id);
    } finally {
      rmSync(folder, { recursive: true });
    }
    const made = await files.byTool("x,y", `sesn_${name.length}`);
    const list = await of(client).list({ scope_id: `sesn_${name.length}` });
    assert.deepEqual(
      list.data.map(({ id, scope }) => [id, scope?.type]),
      [[made.id, "session"]],
    );
    const response = await of(client).download(made.id);
    assert.equal(response.headers.get("content-type"), "text/csv");
    assert.equal(await response.text(), "x,y");
    await of(client).delete(made.id);
  });
}

test("what goes wrong comes in the client's own classes", async () => {
  const { client } = listeningClient(house);
  const { FileExpiredError, FileNotDownloadableError, StorageQuotaExceededError } = Anthropic.Files;
  const { id } = await client.files.upload({
    file: new File(["x"], "a.txt"),
    expires_in_seconds: 3_600,
  });
  const held = await failing(FileNotDownloadableError, client.files.download(id));
  assert.equal(held.errorCode, "file_not_downloadable");
  const large = new File(["x".repeat(10_001)], "large.txt");
  const full = await failing(StorageQuotaExceededError, client.files.upload({ file: large }));
  assert.equal(full.details.error_code, "storage_quota_exceeded");
  await failing(
    Anthropic.BadRequestError,
    client.files.upload({ file: new File(["x"], "a"), expires_in_seconds: 60 }),
  );
  wall.advance(3_600_000);
  const late = await failing(FileExpiredError, client.files.download(id));
  assert.equal(late.status, 404);
  await client.files.delete(id);
});

test("a message names an uploaded file, and the model reads it", async () => {
  const { client } = listeningClient(house);
  const { id } = await client.files.upload({ file: new File(["word ".repeat(400)], "a.txt") });
  const ask = (content: Anthropic.ContentBlockParam[]) =>
    client.messages.create({
      model: "sim-small",
      max_tokens: 20,
      messages: [{ role: "user", content: [...content, { type: "text", text: "Hello." }] }],
    });
  const bare = await ask([]);
  const named = await client.beta.messages.create({
    model: "sim-small",
    max_tokens: 20,
    betas: ["files-api-2025-04-14"],
    messages: [
      {
        role: "user",
        content: [
          { type: "document", source: { type: "file", file_id: id } },
          { type: "text", text: "Hello." },
        ],
      },
    ],
  });
  assert.equal(named.usage.input_tokens - bare.usage.input_tokens, 500);
  await client.files.delete(id);
});
