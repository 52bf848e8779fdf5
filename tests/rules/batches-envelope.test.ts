// What a new batch's body is refused for, and what is left to the results of its requests.
import assert from "node:assert/strict";
import { test } from "node:test";
import { Failure } from "../../kernel/base/failure.ts";
import {
  makeEnvelopeReader,
  type ScannedItem,
} from "../../server/batches/intake/envelope-reader.ts";
import { limits } from "../../server/batches/limits.ts";

type Body = string | Buffer;

function read(...chunks: Body[]): { items: ScannedItem[]; kept: string } {
  const reader = makeEnvelopeReader();
  const scanned = chunks.map((chunk) => reader.push(Buffer.from(chunk)));
  reader.end();
  const items = scanned.flatMap(({ items }) => items);
  assert.equal(reader.requests, items.length);
  return { items, kept: Buffer.concat(scanned.flatMap(({ kept }) => kept)).toString() };
}

function refused(body: Body, message: string, code?: string): void {
  assert.throws(
    () => read(body),
    (error) => {
      assert.ok(error instanceof Failure, String(error));
      assert.equal(error.message, message);
      assert.deepEqual([error.status, error.type], [400, "invalid_request_error"]);
      assert.equal(error.options.code, code);
      return true;
    },
  );
}

const item = (id: string, params = "{}") => `{"custom_id":"${id}","params":${params}}`;
const batch = (...items: string[]) => `{"requests":[${items.join(",")}]}`;

test("requests are found as they stand, a line feed behind the params of each", () => {
  const first = '{ "model" : "a", "n":[1, {"params":2}], "custom_id":"no" }';
  const { items, kept } = read(
    `\ufeff {"requests" : [ {"params": ${first} , "custom_id":"one"},`,
    `{"custom\\u005fid":"t\\u0077o","par\\u0061ms":{"text":"\\ud83d __proto__ \\u0000"}} ] } \r\n`,
  );
  assert.deepEqual(items, [
    { customId: "one", length: first.length },
    { customId: "two", length: 34 },
  ]);
  assert.equal(kept, `${first}\n{"text":"\\ud83d __proto__ \\u0000"}\n`);
});

test("what is kept are views into the chunk", () => {
  const chunk = Buffer.from(batch(item("a", '{"long":"text"}')));
  const { kept } = makeEnvelopeReader().push(chunk);
  assert.deepEqual(
    kept.map(({ length }) => length),
    [15, 1],
  );
  assert.equal(kept[0]?.buffer, chunk.buffer);
  assert.equal(kept[0]?.byteOffset, chunk.byteOffset + chunk.indexOf('{"long'));
});

test("params come out before the id behind them is known", () => {
  const reader = makeEnvelopeReader();
  const before = reader.push(Buffer.from('{"requests":[{"params":{"a":1},"cust'));
  assert.equal(Buffer.concat(before.kept).toString(), '{"a":1}\n');
  assert.deepEqual([before.items, reader.requests], [[], 0]);
  const after = reader.push(Buffer.from('om_id":"a"},{"custom_id":"b"'));
  assert.deepEqual(after, { kept: [], items: [{ customId: "a", length: 7 }] });
  assert.equal(reader.requests, 1);
});

test("a fault of one request is its own", () => {
  const faults = (body: string) => read(body).items.map(({ length, fault }) => [length, fault]);
  const isRequired = "params: is required and must be an object.";
  assert.deepEqual(faults(batch('{"custom_id":"a"}', item("b"))), [
    [0, isRequired],
    [2, undefined],
  ]);
  assert.equal(read(batch('{"custom_id":"a"}', item("b"))).kept, "\n{}\n");
  const kinds: [string, string][] = [
    ["[{}]", "an array"],
    ['"{}"', "a string"],
    ["-1.5", "a number"],
    ["true", "true"],
    ["false", "false"],
    ["null", "null"],
  ];
  for (const [params, found] of kinds)
    assert.deepEqual(faults(batch(item("a", params))), [
      [params.length, `params: must be an object; found ${found}.`],
    ]);
  const unknown = (field: string) => faults(batch(`{"custom_id":"a","${field}":[{}],"params":{}}`));
  assert.deepEqual(unknown("parms"), [[2, "parms: is not known here; did you mean params?"]]);
  const knownAre = "is not known here; known are custom_id, params.";
  assert.deepEqual(unknown("foo"), [[2, `foo: ${knownAre}`]]);
  assert.deepEqual(unknown(""), [[2, `"": ${knownAre}`]]);
  assert.deepEqual(unknown("a\\nbc\u00e9d"), [[2, `a?bc?d: ${knownAre}`]]);
  assert.deepEqual(unknown("x".repeat(40)), [[2, `${"x".repeat(40)}: ${knownAre}`]]);
  assert.deepEqual(unknown("x".repeat(41)), [[2, `${"x".repeat(40)}…: ${knownAre}`]]);
  assert.deepEqual(unknown("x".repeat(9_000)), [[2, `${"x".repeat(40)}…: ${knownAre}`]]);
  // The first of several is told; what is missing only where nothing else is wrong.
  const both = '{"custom_id":"a","bar":1,"foo":2}';
  assert.deepEqual(faults(batch(both)), [[0, `bar: ${knownAre}`]]);
});

test("a body that is not JSON is refused at its byte", () => {
  const isEmpty = "The body is not JSON: it is empty; send an object with requests.";
  for (const body of ["", " \n", "\ufeff"]) refused(body, isEmpty);
  const notJson = (before: string, rest: string, reason: string) =>
    refused(
      before + rest,
      `The body is not JSON: ${reason} at byte ${Buffer.byteLength(before) + 1}.`,
    );
  notJson("\ufeff", "\ufeff{}", "a value was expected");
  notJson("\ufeff ", ",", "a value was expected");
  notJson("", "requests", "a value was expected");
  notJson("", "]", "a value was expected");
  notJson("{", "requests:[]}", "a field name in double quotes or } was expected");
  notJson('{"requests"', "[]}", ": was expected after the field name");
  notJson('{"requests":', "}", "a value was expected");
  notJson('{"requests":[', ",]}", "a value or ] was expected");
  const whole = batch(item("a"));
  const comma = "a comma or the closing bracket was expected";
  for (const rest of ["{}", ",", "}", "]", ":", '"', "0"])
    notJson(`${whole} `, rest, "it goes on after its end");
  notJson(whole.slice(0, -1), "", "it ends too early");
  notJson(whole.slice(0, -1), "]", comma);
  notJson(whole.slice(0, -2), `${item("b")}]}`, comma);
  notJson(`${whole.slice(0, -2)},`, "]}", "a value was expected");
  notJson("\ufeff{", "\u00e9}", "a field name in double quotes or } was expected");
});

test("within a request the place names it", () => {
  const notJson = (params: string, rest: string, reason: string) => {
    const body = batch(item("a"), item("b", params + rest));
    const byte = Buffer.byteLength(batch(item("a"), item("b", params)).slice(0, -3)) + 1;
    refused(body, `The body is not JSON: ${reason} at byte ${byte}, in requests.1.`);
  };
  const malformed = "a number or word is malformed";
  notJson("[0", "1]", malformed);
  notJson("[1.", "]", malformed);
  notJson("[-", "]", malformed);
  notJson("[1e+", "]", malformed);
  notJson("[nul", "]", malformed);
  notJson("[null", "s]", malformed);
  notJson("[", "NaN]", "a value or ] was expected");
  notJson("[1 ", "2]", "a comma or the closing bracket was expected");
  notJson("[1,", "]", "a value was expected");
  notJson("[1", "}", "a comma or the closing bracket was expected");
  notJson('{"a":1,', "}", "a field name in double quotes was expected");
  notJson("{", "'a':1}", "a field name in double quotes or } was expected");
  notJson('{"a"', "}", ": was expected after the field name");
  notJson('["\u00e9b', '\tc"]', "a string holds a control character that is not escaped");
  notJson('["\\', 'x41"]', "a backslash in a string starts no known escape");
  notJson('["\\u004', 'g"]', "a backslash in a string starts no known escape");
  const early = batch(item("a"), item("b", '{"a":"')).slice(0, -5);
  const byte = early.length + 1;
  refused(early, `The body is not JSON: it ends too early at byte ${byte}, in requests.1.`);
});

test("a body that is not UTF-8 is refused at its byte", () => {
  const code = "request_body_encoding_invalid";
  const bad = (bytes: number[], at: number) => {
    const body = Buffer.concat([Buffer.from('{"'), Buffer.from(bytes), Buffer.from('":1}')]);
    const message = `The body is not UTF-8: byte ${at} does not belong to any character.`;
    refused(body, message, code);
  };
  bad([0xff], 3);
  bad([0x80], 3);
  bad([0xc3, 0x41], 4);
  bad([0xe2, 0x82, 0x41], 5);
  bad([0xed, 0xa0, 0x80], 4);
  bad([0xf4, 0x90, 0x80, 0x80], 4);
  bad([0xc3, 0xa9, 0xc3], 6);
  refused(
    Buffer.from([0x22, 0xe2, 0x82]),
    "The body is not UTF-8: it ends within a character.",
    code,
  );
  refused(
    Buffer.from([0x22, 0xe0, 0x80]),
    "The body is not UTF-8: byte 3 does not belong to any character.",
    code,
  );
  // A fault before the bad byte is told first, as it would be if the body came in pieces.
  refused(Buffer.from([0x7b, 0x7d, 0x7d, 0xff]), "requests: is required and must be an array.");
});

test("the body is an object with requests and nothing else", () => {
  const found = (body: string, what: string) =>
    refused(body, `The body must be an object; found ${what}.`);
  found("[]", "an array");
  found('"text"', "a string");
  found("12", "a number");
  found("12 ", "a number");
  found("null", "null");
  refused("{}", "requests: is required and must be an array.");
  refused('{"requests":{}}', "requests: must be an array; found an object.");
  refused('{"requests":"all"}', "requests: must be an array; found a string.");
  refused('{"requests":null}', "requests: must be an array; found null.");
  refused('{"requests":[]}', "requests: must not be empty; a batch has at least one request.");
  const twice = `{"requests":[${item("a")}],"requests":[]}`;
  refused(twice, "requests: is there twice; send it once.");
  const known = "is not known here; known are requests.";
  refused('{"request":[]}', "request: is not known here; did you mean requests?");
  refused('{"betas":[]}', `betas: ${known}`);
  refused(item("a"), `custom_id: ${known}`);
  refused(`{"requests":[${item("a")}],"__proto__":{}}`, `__proto__: ${known}`);
  refused(`{"requests":[${item("a")}],"${"k".repeat(700)}":{}}`, `${"k".repeat(40)}…: ${known}`);
});

test("each request is an object with one custom_id and at most one params", () => {
  const at1 = (second: string, message: string) =>
    refused(batch(item("a"), second), `requests.1${message}`);
  at1("[]", ": must be an object; found an array.");
  at1('"a"', ": must be an object; found a string.");
  at1("7", ": must be an object; found a number.");
  at1("{}", ".custom_id: is required and must be a string.");
  at1('{"params":{}}', ".custom_id: is required and must be a string.");
  at1('{"custom_id":7}', ".custom_id: must be a string; found a number.");
  at1('{"custom_id":null}', ".custom_id: must be a string; found null.");
  at1('{"custom_id":{}}', ".custom_id: must be a string; found an object.");
  at1('{"custom_id":"b","custom_id":"c"}', ".custom_id: is there twice; send it once.");
  at1('{"params":{},"params":{}}', ".params: is there twice; send it once.");
  at1(
    item("\\u0061"),
    ".custom_id: must be unique within the batch; a is the custom_id of requests.0 too.",
  );
});

test("a custom_id has 1 to 64 plain characters", () => {
  const rule = "requests.0.custom_id: must be 1 to 64 letters a-z and A-Z, digits, _ and -; found";
  const bad = (id: string, found: string) => refused(batch(item(id)), `${rule} ${found}.`);
  const most = "aZ09_-xy".repeat(8);
  assert.equal(read(batch(item(most))).items[0]?.customId, most);
  assert.equal(read(batch(item("\\u0061".repeat(64)))).items[0]?.customId, "a".repeat(64));
  bad(`${most}1`, "more than 64 characters");
  bad("\\u0061".repeat(65), "more than 64 characters");
  bad("a".repeat(100_000), "more than 64 characters");
  bad("", "an empty string");
  bad("my id", "another character at place 3");
  bad("\\n", "another character at place 1");
  bad("a\u00e9", "another character at place 2");
  bad("a\\n", "another character at place 2");
});

test("a batch has at most 100,000 requests: one more is refused as it begins", () => {
  assert.equal(limits.requestsMax, 100_000);
  const items = Array.from({ length: limits.requestsMax }, (_, index) => item(`id-${index}`));
  assert.equal(read(batch(...items)).items.length, limits.requestsMax);
  const reader = makeEnvelopeReader();
  const body = batch(...items).slice(0, -2);
  reader.push(Buffer.from(`${body},`));
  assert.throws(() => reader.push(Buffer.from(" {")), {
    message: "requests: must have at most 100000 items; send the others in another batch.",
  });
  refused(
    batch(...items, item("id-77")),
    "requests: must have at most 100000 items; send the others in another batch.",
  );
});

test("objects and arrays are within each other 10,000 levels deep, and no deeper", () => {
  assert.equal(limits.depthMax, 10_000);
  // Body, list, request and params are four of them.
  const nested = (innermost: string) =>
    batch(item("a", `{"a":${'[{"b":'.repeat(4_998)}${innermost}${"}]".repeat(4_998)}}`));
  assert.equal(read(nested("1")).items[0]?.fault, undefined);
  const byte = nested("[]").indexOf("[]") + 1;
  refused(
    nested("[]"),
    `The body is nested deeper than 10000 levels at byte ${byte}, in requests.0; flatten it.`,
  );
});
