// Files of batch requests as the console reads them in the browser: any cut into chunks, both forms, every fault.
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { makeFileReader, type Report } from "../../console/batches/new/batch-file.ts";
import { makeBodyOfLines } from "../../console/batches/new/batch-lines.ts";

const bytesOf = (text: string) => new TextEncoder().encode(text);

/** In chunks of this size. */
function* cut<Bytes extends Uint8Array>(bytes: Bytes, size: number): Generator<Bytes> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size) as Bytes;
}

function read(file: string | Uint8Array, chunkBytes = 7): Report {
  const reader = makeFileReader();
  const bytes = typeof file === "string" ? bytesOf(file) : file;
  for (const chunk of cut(bytes, chunkBytes)) reader.push(chunk);
  return reader.end();
}

function bodyOf(lines: string, chunkBytes: number): string {
  const body = makeBodyOfLines();
  const parts = [body.begin];
  for (const chunk of cut(bytesOf(lines), chunkBytes)) parts.push(...body.of(chunk));
  return Buffer.concat([...parts, body.end]).toString("utf8");
}

const request = (id: string, more: object = {}) => ({
  custom_id: id,
  params: {
    model: "sim-small",
    max_tokens: 1_200,
    messages: [{ role: "user", content: `Say "${id}" {[,]}` }],
    ...more,
  },
});
const line = (id: string, more?: object) => JSON.stringify(request(id, more));

/** `2: custom_id is missing.` */
const told = ({ problems }: Report) => problems.map(({ line, sentence }) => `${line}: ${sentence}`);

test("lines: counted, their models too, the first are shown, blank ones are nothing", () => {
  const other = {
    model: "sim-large",
    messages: [{ role: "user", content: [{ text: "Hi\n there" }] }],
  };
  const report = read(`\ufeff${line("a")}\r\n\n   \n${line("b", other)}\n${line("c")}`);
  assert.deepEqual(told(report), []);
  assert.equal(report.form, "lines");
  assert.equal(report.requests, 3);
  assert.deepEqual(report.models, [
    ["sim-small", 2],
    ["sim-large", 1],
  ]);
  const [first, second] = report.previews;
  assert.equal(first?.customId, "a");
  assert.equal(first?.maxTokens, "1,200");
  assert.equal(first?.said, 'Say "a" {[,]}');
  assert.equal(second?.said, "Hi there");
  assert.deepEqual(JSON.parse(first?.json ?? ""), request("a"));
});

test("the body of the API: as it stands, on one line or many", () => {
  const body = { requests: [request("a"), request("b")] };
  for (const text of [
    JSON.stringify(body),
    JSON.stringify(body, null, 2),
    `\ufeff\n{"requests":[]}`,
  ]) {
    const report = read(text);
    assert.equal(report.form, "body");
    assert.equal(report.bodyBytes, bytesOf(text).length);
    if (text.includes("[]"))
      assert.deepEqual(told(report), ["undefined: There is no request in this file."]);
    else assert.deepEqual([report.requests, told(report)], [2, []]);
  }
});

test("each fault of a line is told with the line, and no other request suffers from it", () => {
  const faults: [line: string, told: RegExp][] = [
    ["{not json}", /This is no JSON: /],
    ["[1]", /must be an object/],
    ["null", /must be an object/],
    ['{"params":{}}', /custom_id is missing/],
    ['{"custom_id":7,"params":{}}', /custom_id must be a string/],
    ['{"custom_id":"a b","params":{}}', /letters a-z.*here it is "a b"/],
    [`{"custom_id":"${"x".repeat(65)}","params":{}}`, /1 to 64 letters/],
    [line("good"), /custom_id good stands on line 1 already/],
    ['{"custom_id":"p"}', /params is missing/],
    ['{"custom_id":"q","params":[]}', /params must be an object/],
    ['{"custom_id":"r","params":{},"url":"/v1"}', /"url" is not known here/],
  ];
  const report = read([line("good"), ...faults.map(([text]) => text), line("also")].join("\n"));
  assert.equal(report.problemsInAll, faults.length);
  for (const [place, [, sentence]] of faults.entries()) {
    assert.equal(report.problems[place]?.line, place + 2);
    assert.match(report.problems[place]?.sentence ?? "", sentence);
  }
  assert.deepEqual(report.models, [["sim-small", 2]]);
  assert.match(told(read(`${line("a")}\n\ufeff${line("b")}`)).join(), /^2: This is no JSON/);
  assert.deepEqual(told(read("\ufeff\n")), ["undefined: There is no request in this file."]);
  const broken = Buffer.concat([bytesOf(`${line("a")}\n`), Buffer.from([0x22, 0xff, 0x22])]);
  assert.deepEqual(told(read(broken)), ["2: This is not UTF-8."]);
});

test("a body that breaks off or goes on is told with its line", () => {
  const of = (text: string) => told(read(text)).join();
  assert.match(
    of(`{"requests":[\n${line("a")},\n{"custom_id":"b`),
    /^3: The file ends in the middle/,
  );
  assert.match(of(`{"requests":[\n${line("a")}\n`), /^3: The file ends before the list/);
  assert.match(of(`{"requests":[${line("a")}\n}`), /^2: The list of requests is not closed/);
  assert.match(of(`{"requests":[${line("a")}],\n"x":1}`), /^1: Behind the list/);
  assert.match(of(`{"requests":[${line("a")},]}`), /^1: Here is a comma too many/);
  assert.match(of(`{"requests":[,${line("a")}]}`), /^1: Here is a comma too many/);
  assert.match(of(`{"requests":[${line("a")}\n{}]}`), /^1: This is no JSON/);
  assert.match(of('{"requests":{}}'), /^1: requests must be a list/);
  assert.match(of(`[${line("a")}]`), /^1: The file is a list\. .*"requests"/);
  assert.match(of(""), /^undefined: There is no request/);
});

test("limits: requests, bytes of one request, bytes of all; the first problems are kept, all are counted", () => {
  const many = Array.from(
    { length: 100_001 },
    (_, place) => `{"custom_id":"${place}","params":{}}`,
  );
  assert.deepEqual(told(read(many.join("\n"), 65_536)), [
    "undefined: There are 100,001 requests; a batch takes at most 100,000. Make several files of it.",
  ]);
  const long = line("long", { system: "x".repeat(32 * 1024 * 1024 + 2_000) });
  for (const text of [`${line("a")}\n${long}\n${line("b")}`, `{"requests":[\n${long}]}`])
    assert.match(told(read(text, 65_536)).join(), /^2: Has 33,55\d,\d{3} bytes; one request takes/);
  const reader = makeFileReader();
  reader.push(bytesOf('{"requests":[]}'));
  for (let count = 0; count < 257; count++) reader.push(new Uint8Array(1024 * 1024).fill(0x20));
  assert.match(
    told(reader.end()).join(),
    /^undefined: The requests have 269,484,047 bytes; a batch/,
  );
  const wrong = read("x\n".repeat(5_000), 65_536);
  assert.equal(wrong.problemsInAll, 5_000);
  assert.equal(wrong.problems.length, 100);
});

/** As JSON tells it: without a zero below zero. */
const anyJson = fc
  .jsonValue({ depthSize: "small" })
  .map((value) => JSON.parse(JSON.stringify(value)) as unknown);
const anyLines = fc.array(
  fc.oneof(
    {
      weight: 4,
      arbitrary: anyJson.map((value) => JSON.stringify({ custom_id: "a", params: { value } })),
    },
    fc.constantFrom("", " \t", "\r"),
  ),
  { maxLength: 8 },
);

test("lines become the body that the server is sent, however the file is cut", () => {
  fc.assert(
    fc.property(anyLines, fc.integer({ min: 1, max: 40 }), fc.boolean(), (lines, size, isEnded) => {
      const text = (size > 2 ? "\ufeff" : "") + lines.join("\n") + (isEnded ? "\n" : "");
      const whole = lines.filter((each) => each.trim() !== "").map((each) => JSON.parse(each));
      const body = bodyOf(text, size);
      assert.deepEqual(JSON.parse(body), { requests: whole });
      const report = read(text, size);
      assert.equal(report.requests, whole.length);
      // Carriage returns at the ends of blank lines are left out of one, and not of the other.
      assert.equal(report.bodyBytes, bytesOf(body).length);
    }),
  );
});

test("a body is cut into the requests that JSON.parse finds in it, however the file is cut", () => {
  const spaces = fc.constantFrom("", " ", "\n", "\r\n\t");
  fc.assert(
    fc.property(
      fc.array(anyJson, { maxLength: 6 }),
      fc.integer({ min: 1, max: 40 }),
      spaces,
      (values, size, space) => {
        const items = values.map((value, place) => ({ custom_id: `i${place}`, params: { value } }));
        const list = items.map((item) => space + JSON.stringify(item) + space).join(",");
        const report = read(`{${space}"requests"${space}:${space}[${list}${space}]${space}}`, size);
        assert.equal(report.requests, items.length);
        assert.equal(report.problemsInAll, items.length === 0 ? 1 : 0);
        assert.deepEqual(
          report.previews.map(({ json }) => JSON.parse(json ?? "null") as unknown),
          items.slice(0, 5),
        );
      },
    ),
  );
});
