// Rules FIL1 to FIL5, over HTTP: what is taken in, under which name, and as what.
import assert from "node:assert/strict";
import { request } from "node:http";
import { text } from "node:stream/consumers";
import { after, before, test } from "node:test";
import { openHouse, type House } from "../house.ts";
import { filesOf, rawForm, rawType, type Files } from "./files-house.ts";
import { until } from "./support.ts";

let house: House;
let files: Files;
before(async () => {
  house = await openHouse();
  files = filesOf(house);
});
after(() => house[Symbol.asyncDispose]());

const part = (name: string, more = "", type = "") =>
  `content-disposition: form-data; name="${name}"${more}${type && `\r\ncontent-type: ${type}`}`;
const bytes = (...from: number[]) => new Uint8Array(from);
const messageOf = ({ body }: { body: { error: { message: string } } }) => body.error.message;

test("[FIL1] an upload is answered with all that is known of it", async () => {
  const { status, body, headers } = await files.tryUpload({ content: "one", filename: "a.txt" });
  assert.equal(status, 200);
  const { id, created_at, ...rest } = body;
  assert.match(id, /^file_[0-9a-z]{26}$/);
  assert.ok(Math.abs(Date.parse(created_at) - Date.now()) < 60_000);
  assert.deepEqual(rest, {
    type: "file",
    filename: "a.txt",
    mime_type: "text/plain",
    size_bytes: 3,
    downloadable: false,
    expires_at: null,
    scope: null,
  });
  assert.equal(headers.get("anthropic-workspace-id"), house.organizations.platform.workspace_id);
  assert.deepEqual((await files.call("GET", `/${id}`)).body, body);
});

test("[FIL1] a form without the file, with two, or with a wrong part is 400", async () => {
  const cases: [parts: [string, string][], says: RegExp][] = [
    [[], /malformed|file: is missing/],
    [[[part("expires_in_seconds"), "3600"]], /^file: is missing; send the file in the form field/],
    [
      [
        [part("file", '; filename="a"'), "x"],
        [part("file", '; filename="b"'), "y"],
      ],
      /more files than 1/,
    ],
    [[[part("purpose"), "vision"]], /^purpose: is not a known field of this form/],
    [
      [[part("expires_in_seconds", '; filename="a"'), "3600"]],
      /^expires_in_seconds: comes as a file/,
    ],
  ];
  for (const [parts, says] of cases) {
    const answer = await files.raw(parts);
    assert.equal(answer.status, 400, JSON.stringify(answer.body));
    assert.match(messageOf(answer), says);
  }
});

test("[FIL1] [FIL2] what is larger than 500 MB is 413 before it comes, and leaves nothing", async () => {
  const before = files.blobs();
  const { api_key } = house.organizations.platform;
  const headers = {
    "x-api-key": api_key,
    "content-type": rawType,
    "content-length": String(600 * 1024 * 1024),
    expect: "100-continue",
  };
  const { promise, resolve, reject } = Promise.withResolvers<[number, string]>();
  const asked = request(`${house.url}/v1/files`, { method: "POST", headers, agent: false });
  asked.on("error", reject).on("response", (response) => {
    response.setEncoding("utf8").on("data", (text: string) => {
      resolve([response.statusCode ?? 0, text]);
      asked.destroy();
    });
  });
  asked.flushHeaders();
  const [status, text] = await promise;
  assert.equal(status, 413);
  assert.match(text, /a file of at most 524288000 bytes/);
  assert.deepEqual(files.blobs(), before);
});

test("[FIL2] what is refused at its end, or breaks off, leaves neither row nor blob", async () => {
  const before = files.blobs();
  const { body: list } = await files.call("GET", "");
  const late = await files.raw([
    [part("file", '; filename="a"'), "x".repeat(200_000)],
    [part("expires_in_seconds"), "7"],
  ]);
  assert.equal(late.status, 400);
  const cut = rawForm([[part("file", '; filename="a"'), "x".repeat(200_000)]]);
  const open = await files.send(new Uint8Array(cut.subarray(0, -20)), { "content-type": rawType });
  assert.equal(open.status, 400);
  const gone = request(`${house.url}/v1/files`, {
    method: "POST",
    agent: false,
    headers: { "x-api-key": house.organizations.platform.api_key, "content-type": rawType },
  });
  gone.on("error", () => {});
  gone.write(cut.subarray(0, 100_000));
  await until(async () => files.blobs().length > before.length, "the upload to begin");
  gone.destroy();
  await until(async () => files.blobs().length === before.length, "the upload to be cleared away");
  assert.deepEqual((await files.call("GET", "")).body, list);
  assert.deepEqual(files.blobs(), before);
});

test("[FIL3] expires_in_seconds counts from the upload, before or after the file", async () => {
  const field: [string, string] = [part("expires_in_seconds"), "3600"];
  const file: [string, string] = [part("file", '; filename="a.txt"'), "x"];
  for (const parts of [
    [field, file],
    [file, field],
  ]) {
    const { status, body } = await files.raw(parts);
    assert.equal(status, 200, JSON.stringify(body));
    assert.equal(Date.parse(body.expires_at) - Date.parse(body.created_at), 3_600_000);
  }
  const longest = await files.upload({ expires: 7_776_000 });
  assert.equal(
    Date.parse(longest.expires_at ?? "") - Date.parse(longest.created_at),
    90 * 24 * 3_600_000,
  );
  for (const expires of ["3599", "7776001", "0", "-1", "3600.5", "1e4", "soon", ""].concat([
    " 3600",
    "3600 ",
    "\t3600",
    "+3600",
    "0x1000",
    "３６００",
  ])) {
    const answer = await files.tryUpload({ expires });
    assert.equal(answer.status, 400, expires);
    assert.equal(
      messageOf(answer),
      "expires_in_seconds: must be a whole number from 3600 to 7776000.",
    );
  }
});

test("[FIL3] a field that comes long after the file counts", async () => {
  const whole = rawForm([
    [part("file", '; filename="a.txt"'), "x"],
    [part("expires_in_seconds"), "3600"],
  ]);
  const cut = whole.indexOf("3600");
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  const asked = request(`${house.url}/v1/files`, {
    method: "POST",
    agent: false,
    headers: { "x-api-key": house.organizations.platform.api_key, "content-type": rawType },
  });
  asked.on("error", reject).on("response", (response) => {
    text(response).then(resolve, reject);
  });
  const before = files.blobs().length;
  asked.write(whole.subarray(0, cut));
  await until(async () => files.blobs().length > before, "the upload to begin");
  // A server that does not wait for the end of the form has answered after these.
  for (let time = 0; time < 3; time++) await files.upload();
  asked.end(whole.subarray(cut));
  const body = JSON.parse(await promise);
  assert.equal(Date.parse(body.expires_at) - Date.parse(body.created_at), 3_600_000);
});

test("[FIL4] of a name the last part is kept, wherever it points", async () => {
  const names: Record<string, string> = {
    "report.pdf": "report.pdf",
    "a/b/report.pdf": "report.pdf",
    "../../etc/passwd": "passwd",
    "/etc/passwd": "passwd",
    "C:\\Users\\me\\notes.txt": "notes.txt",
    "..\\up.txt": "up.txt",
    "Ünïcode 世界.txt": "Ünïcode 世界.txt",
    'so "called".txt': 'so "called".txt',
    "..": "unnamed.txt",
    "folder/": "unnamed.txt",
    " ": "unnamed.txt",
    [`${"y".repeat(1020)}.txt`]: `${"y".repeat(1020)}.txt`,
    // Shown as `invoice exe.jpg`, where a program shows it as it is.
    "invoice \u202egpj.exe": "invoice gpj.exe",
    "\u2066a\u2069\u200f.\u061ctxt\u202c": "a.txt",
    ".\u202e.": "unnamed.txt",
    "\ufeffa.t\u200bx\u2060t": "a.txt",
    "so\u00adft \u200b": "soft",
    "👩\u200d🚒 می\u200cخواهم.txt": "👩\u200d🚒 می\u200cخواهم.txt",
  };
  for (const [given, kept] of Object.entries(names))
    assert.equal((await files.upload({ filename: given })).filename, kept, given);
});

test("[FIL4] without a name it is named after what it is", async () => {
  const bare = await files.raw([[part("file"), "text"]]);
  assert.equal(bare.body.filename, "unnamed.txt", JSON.stringify(bare.body));
  const empty = await files.raw([[part("file", '; filename=""'), "%PDF-1.4\nx"]]);
  assert.equal(empty.body.filename, "unnamed.pdf");
  const strange = await files.raw([[part("file", "", "application/x-strange"), bytes(7, 0xfe, 0)]]);
  assert.equal(strange.body.filename, "unnamed");
  assert.equal(strange.body.mime_type, "application/x-strange");
});

test("[FIL4] a name with control characters or of more than 1,024 bytes is 400", async () => {
  for (const filename of [
    "a\u0000b",
    "a\u0007b",
    "a\u0085b",
    "a\u2028b",
    "y".repeat(1_025),
    "ü".repeat(600),
  ]) {
    const answer = await files.tryUpload({ filename });
    assert.equal(answer.status, 400, JSON.stringify(filename));
    assert.match(messageOf(answer), /^file: the filename must/);
  }
});

const png = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
  "base64",
);
test("[FIL5] the first bytes say what a file is, whatever its sender says", async () => {
  const cases: [
    content: string | Uint8Array<ArrayBuffer>,
    type: string,
    name: string,
    is: string,
  ][] = [
    [new Uint8Array(png), "text/html", "a.html", "image/png"],
    [bytes(0xff, 0xd8, 0xff, 0xe0, 0, 16, 0x4a, 0x46), "", "a", "image/jpeg"],
    ["GIF89a\u0001\u0000\u0001\u0000\u0000\u0000\u0000;", "image/png", "a.png", "image/gif"],
    ["%PDF-1.7\nhello", "text/plain", "a.txt", "application/pdf"],
    [
      "PK\u0003\u0004\u0000\u0000",
      "application/vnd.ms-excel.sheet",
      "a",
      "application/vnd.ms-excel.sheet",
    ],
    ["PK\u0003\u0004\u0000\u0000", "text/html", "a.html", "application/zip"],
  ];
  for (const [content, type, filename, is] of cases)
    assert.equal((await files.upload({ content, type, filename })).mime_type, is, filename + type);
});

test("[FIL5] text is what sender or extension call it, if that is text", async () => {
  const cases: [content: string, type: string, name: string, is: string][] = [
    ["a,b\n1,2", "", "a.csv", "text/csv"],
    ["# Title", "", "a.md", "text/markdown"],
    ['{"a":1}', "application/json; charset=utf-8", "a", "application/json"],
    ['{"a":1}', "", "a.json", "application/json"],
    ["BM, and other words", "", "a.txt", "text/plain"],
    ["Grüße 世界", "", "a", "text/plain"],
    ["words", "image/png", "a.png", "text/plain"],
    ["words", "application/pdf", "a", "text/plain"],
    ["<p>", "text/html", "a", "text/html"],
    ["<svg/>", "image/svg+xml", "a.svg", "image/svg+xml"],
    ['<?xml version="1.0"?><svg/>', "", "a.svg", "image/svg+xml"],
    ['<?xml version="1.0"?><a/>', "", "a", "application/xml"],
    ["", "", "empty.md", "text/markdown"],
    ["a,b\n1,2", "text/plain", "a.csv", "text/csv"],
    ["a,b\n1,2", "text/html", "a.csv", "text/html"],
  ];
  for (const [content, type, filename, is] of cases)
    assert.equal((await files.upload({ content, type, filename })).mime_type, is, filename + type);
});

test("[FIL5] what is neither is what its sender says, but never a picture, a PDF or text", async () => {
  const noise = bytes(1, 0, 0xfe, 0xfd, 7, 9);
  const cases: [type: string, is: string][] = [
    ["application/x-strange", "application/x-strange"],
    ["Application/X-Strange; q=1", "application/x-strange"],
    ["image/png", "application/octet-stream"],
    ["application/pdf", "application/octet-stream"],
    ["text/plain", "application/octet-stream"],
    ["not a type", "application/octet-stream"],
    ["", "application/octet-stream"],
  ];
  for (const [type, is] of cases) {
    const raw = await files.raw([[part("file", '; filename="a.bin"', type), noise]]);
    assert.equal(raw.body.mime_type, is, type);
  }
});

test("[FIL5] a part without a content type is what its extension says, as far as its bytes may be that", async () => {
  const noise = bytes(1, 0, 0xfe, 0xfd, 7, 9);
  const cases: [name: string, content: string | Uint8Array, is: string][] = [
    ["a.csv", "a,b", "text/csv"],
    ["a.json", "{}", "application/json"],
    ["a", "words", "text/plain"],
    ["a.mp3", "words", "text/plain"],
    ["a.mp3", noise, "audio/mpeg"],
    ["a.png", noise, "application/octet-stream"],
    ["a.txt", noise, "application/octet-stream"],
  ];
  for (const [name, content, is] of cases) {
    const raw = await files.raw([[part("file", `; filename="${name}"`), content]]);
    assert.equal(raw.body.mime_type, is, name);
  }
});

test("[FIL5] a character that is cut between two pieces is whole", async () => {
  const content = `a${"世".repeat(300_000)}`;
  const { mime_type, size_bytes } = await files.upload({ content, filename: "long" });
  assert.deepEqual([mime_type, size_bytes], ["text/plain", 900_001]);
  const broken = Buffer.from(content);
  broken[500_000] = 0x41;
  const other = await files.upload({ content: new Uint8Array(broken), filename: "broken" });
  assert.equal(other.mime_type, "application/octet-stream");
  const cut = new Uint8Array(Buffer.from(content).subarray(0, -1));
  const end = await files.upload({ content: cut, filename: "cut" });
  assert.equal(end.mime_type, "application/octet-stream");
});
