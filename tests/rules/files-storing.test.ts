// Rules FIL12 to FIL16, over HTTP: bytes stored once, quotas, expiry, and what the sweep does, by a clock that is set.
import assert from "node:assert/strict";
import { request } from "node:http";
import { Readable } from "node:stream";
import { after, before, test } from "node:test";
import { type Clock, makeManualClock, systemClock } from "../../kernel/base/clock.ts";
import { storeToolFile } from "../../server/files/module.ts";
import { blobKey } from "../../server/files/bytes/blob-keys.ts";
import { openHouse, type House } from "../house.ts";
import { filesOf, type Files } from "./files-house.ts";
import { eventsOf, hours, minutes, sentenceOf } from "./support.ts";

const wall = makeManualClock(new Date("2026-11-20T12:00:00Z"));
const days = (count: number) => hours(24 * count);
const bytesMax = 10_000;
let house: House;
let files: Files;
before(async () => {
  /** The wall clock is set; waits and leases go on as usual. */
  const clock: Clock = { ...systemClock, now: () => wall.now() };
  const sections = { files: { organization_bytes_max: bytesMax, organization_files_max: 40 } };
  house = await openHouse({ clock, sections });
  files = filesOf(house);
});
after(() => house[Symbol.asyncDispose]());

const codeOf = ({ body }: { body: { error: { details?: { error_code?: string } } } }) =>
  body.error.details?.error_code;
const nothing = { bytes: 0, files: 0 };

test("[FIL12] equal bytes of one organization are stored once, and go with the last file", async () => {
  const same = { content: "the same bytes" };
  const [one, two] = [await files.upload(same), await files.upload({ ...same, filename: "b.md" })];
  const theirs = await files.upload({ ...same, key: house.organizations.other.api_key });
  assert.equal((await files.writtenBlobs()).length, 2);
  assert.deepEqual(await files.stored(), { bytes: 28, files: 2 });
  await files.remove(one.id);
  assert.equal((await files.writtenBlobs()).length, 2);
  const { cookie } = house.organizations.platform;
  const left = await house.ask("GET", `/console/api/files/${two.id}/content`, { cookie });
  assert.equal(left.body, "the same bytes");
  await files.remove(two.id);
  assert.equal((await files.writtenBlobs()).length, 1);
  assert.deepEqual(await files.stored(), nothing);
  await files.remove(theirs.id, house.organizations.other.api_key);
  assert.deepEqual([await files.writtenBlobs(), await files.contents()], [[], []]);
});

test("[FIL12] a deleted file is gone, and cannot be deleted again", async () => {
  const { id } = await files.upload();
  const answer = await files.remove(id);
  assert.deepEqual([answer.status, answer.body], [200, { id, type: "file_deleted" }]);
  for (const [method, path] of [
    ["GET", `/${id}`],
    ["GET", `/${id}/content`],
    ["DELETE", `/${id}`],
  ] as const)
    assert.equal((await files.call(method, path)).status, 404);
});

const sized = (bytes: number) => ({ content: "x".repeat(bytes) });

test("[FIL13] a quota takes its last byte and not one more", async () => {
  const { id } = await files.upload(sized(bytesMax));
  const empty = await files.upload({ content: "" });
  const more = await files.tryUpload(sized(1));
  assert.deepEqual([more.status, codeOf(more)], [400, "storage_quota_exceeded"]);
  assert.match(
    more.body.error.message,
    /stores 10000 bytes in files, and 10000 are allowed: 1 more do not fit\. Delete files/,
  );
  // Of another organization it is the other one's.
  const key = house.organizations.other.api_key;
  await files.remove((await files.upload({ ...sized(5), key })).id, key);
  await files.remove(id);
  await files.remove((await files.upload(sized(1))).id);
  await files.remove(empty.id);
  assert.deepEqual([await files.writtenBlobs(), await files.stored()], [[], nothing]);
});

test("[FIL13] what cannot fit is refused before it has come", async () => {
  const head = `--b\r\ncontent-disposition: form-data; name="file"; filename="a"\r\n\r\n`;
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  const asked = request(`${house.url}/v1/files`, {
    method: "POST",
    agent: false,
    headers: {
      "x-api-key": house.organizations.platform.api_key,
      "content-type": "multipart/form-data; boundary=b",
      "content-length": 1_000_000,
    },
  });
  asked.on("error", reject).on("response", (response) => {
    response.setEncoding("utf8").on("data", resolve);
  });
  asked.write(head + "x".repeat(100));
  const { error } = JSON.parse(await promise);
  asked.destroy();
  assert.equal(error.details.error_code, "storage_quota_exceeded");
  assert.deepEqual(await files.writtenBlobs(), []);
});

test("[FIL13] of many at once exactly those get in that fit, though their bytes are the same", async () => {
  const answers = await Promise.all(
    Array.from({ length: 12 }, (_, at) =>
      files.tryUpload({ content: (at % 2 === 0 ? "a" : "b").repeat(2_000) }),
    ),
  );
  const good = answers.filter(({ status }) => status === 200);
  assert.equal(good.length, 5);
  for (const answer of answers)
    if (answer.status !== 200) assert.equal(codeOf(answer), "storage_quota_exceeded");
  assert.deepEqual(await files.stored(), { bytes: 10_000, files: 5 });
  for (const { body } of good) await files.remove(body.id);
  assert.deepEqual([await files.writtenBlobs(), await files.stored()], [[], nothing]);
});

test("[FIL13] there is a most of files, too", async () => {
  const made = await Promise.all(Array.from({ length: 40 }, () => files.upload({ content: "" })));
  const more = await files.tryUpload({ content: "" });
  assert.deepEqual([more.status, codeOf(more)], [400, "storage_quota_exceeded"]);
  assert.match(more.body.error.message, /has 40 files, and 40 are allowed/);
  for (const { id } of made) await files.remove(id);
  assert.deepEqual(await files.contents(), []);
});

test("[FIL12] [FIL13] counts hold while equal bytes come and go at once", async () => {
  const rounds = Array.from({ length: 8 }, async (_, lane) => {
    for (let round = 0; round < 6; round++) {
      const content = (lane + round) % 3 === 0 ? "one" : "two";
      const { id } = await files.upload({ content });
      const { cookie } = house.organizations.platform;
      const { status, body } = await house.ask("GET", `/console/api/files/${id}/content`, {
        cookie,
      });
      assert.deepEqual([status, body], [200, content]);
      if (round < 5 || lane > 1) assert.equal((await files.remove(id)).status, 200);
    }
  });
  await Promise.all(rounds);
  const { body } = await files.call("GET", "");
  const left = body.data as { id: string; size_bytes: number }[];
  assert.equal(left.length, 2);
  assert.deepEqual(await files.stored(), { bytes: 6, files: 2 });
  const contents = await files.contents();
  assert.equal(
    contents.reduce((sum, content) => sum + content.files, 0),
    2,
  );
  assert.equal((await files.writtenBlobs()).length, contents.length);
  for (const { id } of left) await files.remove(id);
  assert.deepEqual([await files.writtenBlobs(), await files.contents()], [[], []]);
});

test("[FIL14] blobs that no file knows go once they are an hour old", async () => {
  const { world, organizations } = house;
  const kept = await files.upload({ content: "kept" });
  const stray = blobKey(organizations.platform.organization_id, world.ids.next("blob_"));
  await world.blobs.put(stray, Buffer.from("left by a process that died"));
  wall.advance(minutes(59));
  await files.sweep();
  assert.notEqual(await world.blobs.stat(stray), undefined);
  wall.advance(minutes(2));
  await files.sweep();
  assert.equal(await world.blobs.stat(stray), undefined);
  assert.equal((await files.writtenBlobs()).length, 1);
  await files.remove(kept.id);
});

const naming = (file_id: string) => ({
  model: "sim-small",
  max_tokens: 5,
  messages: [{ role: "user", content: [{ type: "document", source: { type: "file", file_id } }] }],
});

test("[FIL14] an upload whose bytes were swept before its end is refused, not acknowledged", async () => {
  const { world } = house;
  const { organization_id, workspace_id } = house.organizations.platform;
  /** A clock that jumps between bytes and row. */
  const put: typeof world.blobs.put = async (...how) => {
    const info = await world.blobs.put(...how);
    wall.advance(hours(2));
    await files.sweep();
    return info;
  };
  const made = storeToolFile(
    { ...world, blobs: { ...world.blobs, put } },
    {
      organizationId: organization_id,
      workspaceId: workspace_id,
      sessionId: "sesn_1",
      filename: "late.txt",
      mimeType: "",
      content: Readable.from([Buffer.from("late")]),
    },
  );
  await assert.rejects(made, /took too long and was cleared away; send the file again/);
  assert.deepEqual([await files.writtenBlobs(), await files.contents()], [[], []]);
  assert.deepEqual(await files.stored(), nothing);
});

test("[FIL14] bytes that are not where their row says are there again when they are uploaded", async () => {
  const lost = await files.upload({ content: "restored" });
  const [blob] = await files.writtenBlobs();
  await house.world.blobs.delete((blob ?? "").replace(/^objects\//, ""));
  const { cookie } = house.organizations.platform;
  const content = (id: string) => house.ask("GET", `/console/api/files/${id}/content`, { cookie });
  const absent = await content(lost.id);
  assert.match(
    sentenceOf(absent, 404),
    new RegExp(`^The content of the file ${lost.id} is lost: .* Upload it again\\.$`),
  );
  const again = await files.upload({ content: "restored" });
  for (const { id } of [again, lost]) assert.equal((await content(id)).body, "restored");
  for (const { id } of [again, lost]) await files.remove(id);
  assert.deepEqual([await files.writtenBlobs(), await files.contents()], [[], []]);
});

test("[FIL15] [MSG56] what has expired is refused at once, swept, and forgotten 30 days later", async () => {
  const { cookie } = house.organizations.platform;
  const same = { content: "the same" };
  const { id, expires_at } = await files.upload({ ...same, expires: 3_600 });
  const lasting = await files.upload(same);
  const content = () => house.ask("GET", `/console/api/files/${id}/content`, { cookie });
  wall.advance(hours(1) - 1);
  assert.equal((await content()).status, 200);
  wall.advance(1);
  for (const answer of [await content(), await files.call("GET", `/${id}/content`)]) {
    assert.deepEqual([answer.status, codeOf(answer)], [404, "file_expired"]);
    assert.equal(
      answer.body.error.message,
      `The file ${id} expired at ${expires_at}: its content is gone.`,
    );
  }
  const { api_key: key } = house.organizations.platform;
  const asked = await house.ask("POST", "/v1/messages", { key, body: naming(id) });
  assert.deepEqual([asked.status, codeOf(asked)], [404, "file_expired"]);
  assert.match(
    asked.body.error.message,
    /^messages\.0\.content\.0\.source\.file_id: The file file_\w+ expired at /,
  );
  assert.deepEqual(await files.stored(), { bytes: 16, files: 2 });
  await files.sweep();
  assert.deepEqual(await files.stored(), { bytes: 8, files: 1 });
  assert.equal((await files.writtenBlobs()).length, 1);
  assert.equal(codeOf(await content()), "file_expired");
  assert.equal((await files.call("GET", `/${id}`)).body.expires_at, expires_at);
  await files.remove(lasting.id);
  assert.deepEqual(await files.writtenBlobs(), []);
  wall.advance(days(30) - 1);
  await files.sweep();
  assert.equal((await files.call("GET", `/${id}`)).status, 200);
  wall.advance(1);
  await files.sweep();
  assert.equal((await files.call("GET", `/${id}`)).status, 404);
  assert.deepEqual(await files.stored(), nothing);
});

test("[FIL15] one that was swept can be deleted, and counts no second time", async () => {
  const { id } = await files.upload({ content: "short", expires: 3_600 });
  wall.advance(hours(2));
  await files.sweep();
  assert.equal((await files.remove(id)).status, 200);
  assert.deepEqual([await files.writtenBlobs(), await files.stored()], [[], nothing]);
});

test("[FIL16] events bear ids and no names", async () => {
  const { id } = await files.upload({ filename: "secret-plans.txt" });
  await files.remove(id);
  const { id: made } = await files.byTool("plot", "sesn_2");
  await files.remove(made);
  const { platform } = house.organizations;
  const events = await eventsOf(house, { ...platform, cookie: await house.signIn(platform) });
  const own = events.filter(({ target }) => target?.id === id || target?.id === made);
  assert.deepEqual(own.map(({ action }) => action).toSorted(), [
    "file.deleted",
    "file.deleted",
    "file.uploaded",
    "file.uploaded",
  ]);
  assert.ok(!JSON.stringify(own).includes("secret"));
  const byTool = own.find((event) => event.action === "file.uploaded" && event.target?.id === made);
  assert.deepEqual([byTool?.actor.type, byTool?.actor.id], ["system", "sesn_2"]);
});
