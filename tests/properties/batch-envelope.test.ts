// The reader of a batch's body against JSON.parse of the whole: any body, whole or damaged, cut anywhere.
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { Failure } from "../../kernel/base/failure.ts";
import { decode } from "../../kernel/http/input/body.ts";
import {
  makeEnvelopeReader,
  type ScannedItem,
} from "../../server/batches/intake/envelope-reader.ts";

interface Told {
  /** Without their sentences: where the first fault of the item is. */
  items: { customId: string; faultAt: string | undefined }[];
  kept: string;
}

type Outcome = Told | { refusal: string };

function readCut(body: Buffer, cuts: readonly number[]): Outcome {
  const reader = makeEnvelopeReader();
  const items: ScannedItem[] = [];
  const kept: Buffer[] = [];
  const borders = [0, ...cuts.map((cut) => cut % (body.length + 1)), body.length];
  borders.sort((a, b) => a - b);
  try {
    for (const [index, from] of borders.slice(0, -1).entries()) {
      const scanned = reader.push(body.subarray(from, borders[index + 1]));
      items.push(...scanned.items);
      kept.push(...scanned.kept);
    }
    reader.end();
  } catch (error) {
    assert.ok(error instanceof Failure, String(error));
    assert.equal(error.status, 400);
    return { refusal: error.message };
  }
  assert.equal(reader.requests, items.length);
  const bytes = Buffer.concat(kept);
  assert.equal(
    items.reduce((total, { length }) => total + length + 1, 0),
    bytes.length,
  );
  return {
    items: items.map(({ customId, fault }) => ({ customId, faultAt: fault?.split(": ")[0] })),
    kept: bytes.toString("latin1"),
  };
}

/** A value of a text that JSON.parse has taken: where it stands, and its fields as often as they are there. */
interface Tree {
  text: string;
  kind: string;
  fields: [string, Tree][];
  members: Tree[];
}

function treeOf(text: string): Tree {
  const tokens = [...text.matchAll(/"(?:[^"\\]|\\.)*"|[{}[\],:]|[^\s{}[\],:"]+/g)];
  let next = 0;
  const take = () => tokens[next++] ?? assert.fail("the text is JSON");
  const endOf = (token: RegExpExecArray) => token.index + token[0].length;
  const value = (): Tree => {
    const first = take();
    const kind = first[0].charAt(0);
    const tree: Tree = { text: first[0], kind, fields: [], members: [] };
    if (kind !== "{" && kind !== "[") return tree;
    let last = tokens[next];
    if (last?.[0] === "}" || last?.[0] === "]") next++;
    else
      do {
        if (kind === "[") tree.members.push(value());
        else {
          const name = JSON.parse(take()[0]) as string;
          take();
          tree.fields.push([name, value()]);
        }
        last = take();
      } while (last[0] === ",");
    assert.ok(last);
    tree.text = text.slice(first.index, endOf(last));
    return tree;
  };
  return value();
}

/** What the reader has to tell; undefined where it has to refuse. */
function expectedOf(body: Buffer): Told | undefined {
  let tree: Tree;
  try {
    const text = decode(body);
    JSON.parse(text);
    tree = treeOf(text);
  } catch {
    return undefined;
  }
  const [requests, ...others] = tree.fields;
  if (requests?.[0] !== "requests" || others.length > 0 || requests[1].kind !== "[")
    return undefined;
  const { members } = requests[1];
  const told: Told = { items: [], kept: "" };
  for (const { kind, fields } of members) {
    const ids = fields.filter(([name]) => name === "custom_id");
    const params = fields.filter(([name]) => name === "params");
    if (kind !== "{" || ids.length !== 1 || params.length > 1) return undefined;
    const customId: unknown = JSON.parse(ids[0]?.[1].text ?? "");
    if (typeof customId !== "string" || !/^[a-zA-Z0-9_-]{1,64}$/.test(customId)) return undefined;
    const faulty = fields.find(
      ([name, { kind }]) => name !== "custom_id" && (name !== "params" || kind !== "{"),
    );
    const faultAt =
      faulty === undefined ? (params.length === 0 ? "params" : undefined) : shown(faulty[0]);
    told.items.push({ customId, faultAt });
    told.kept += `${Buffer.from(params[0]?.[1].text ?? "").toString("latin1")}\n`;
  }
  const isUnique = new Set(told.items.map(({ customId }) => customId)).size === members.length;
  return isUnique && members.length > 0 ? told : undefined;
}

const shown = (name: string) =>
  name === ""
    ? '""'
    : `${name.slice(0, 40)}${name.length > 40 ? "…" : ""}`.replaceAll(/[^\x20-\x7e…]/gu, "?");

function agrees(body: Buffer, cuts: readonly number[]): void {
  const whole = readCut(body, []);
  const expected = expectedOf(body);
  if (expected === undefined) assert.ok("refusal" in whole, `taken: ${body.toString()}`);
  else assert.deepEqual(whole, expected);
  assert.deepEqual(readCut(body, cuts), whole, "cut");
  assert.deepEqual(readCut(body, [...body.keys()]), whole, "byte by byte");
}

const space = fc.constantFrom("", "", "", " ", "\n\t", "\r\n  ");
const pieces = [
  "aZ09-_é€{}[]:,\u007f\u2028\ufeff".split(""),
  ["😀", "\\n", '\\"', "\\\\", "\\/", "\\u0041", "\\u00e9", "\\ud83d\\ude00", "\\ud83d", "\\u0000"],
  ["x".repeat(23), "y".repeat(64)],
].flat();
const piece = fc.constantFrom(...pieces);
const textBody = fc.array(piece, { maxLength: 8 }).map((pieces) => `"${pieces.join("")}"`);
const scalar = fc.constantFrom("0", "-0", "17", "-12.5e+3", "1E9", "0.10", "true", "false", "null");

const list = (members: fc.Arbitrary<string>, marks: string, maxLength = 4) =>
  fc
    .array(fc.tuple(space, members, space), { maxLength })
    .map((all) => `${marks[0]}${all.map((one) => one.join("")).join(",")}${marks[1]}`);
const field = (name: fc.Arbitrary<string>, value: fc.Arbitrary<string>) =>
  fc.tuple(name, space, fc.constant(":"), space, value).map((parts) => parts.join(""));

const { value, object } = fc.letrec<{ value: string; object: string }>((tie) => ({
  value: fc.oneof({ maxDepth: 4 }, scalar, textBody, list(tie("value"), "[]"), tie("object")),
  object: list(field(textBody, tie("value")), "{}"),
}));

/** A name, at times with one of its letters escaped. */
const named = (name: string) =>
  fc.nat(name.length * 3).map((at) => {
    const code = name.charCodeAt(at).toString(16).padStart(4, "0");
    return at < name.length ? `"${name.slice(0, at)}\\u${code}${name.slice(at + 1)}"` : `"${name}"`;
  });
const rarely = <T>(usual: fc.Arbitrary<T>, other: fc.Arbitrary<T>) =>
  fc.oneof({ weight: 12, arbitrary: usual }, { weight: 1, arbitrary: other });

const id = rarely(
  fc.nat(200).chain((number) => named(`id-${number}`)),
  fc.oneof(
    textBody,
    scalar,
    fc.constant(`"${"i".repeat(65)}"`),
    fc.constant(`"${"\\u0069".repeat(64)}"`),
  ),
);
const idField = field(named("custom_id"), id);
const paramsField = field(named("params"), rarely(object, value));
const other = field(fc.oneof(textBody, named("parms"), fc.constant(`"${"p".repeat(600)}"`)), value);
const item = rarely(
  fc
    .tuple(
      idField,
      rarely(
        paramsField.map((one) => [one]),
        fc.constant<string[]>([]),
      ),
    )
    .chain(([first, rest]) =>
      rarely<string[]>(
        fc.constant([first, ...rest]),
        fc.oneof(other, idField, paramsField).map((more) => [more, first, ...rest]),
      ),
    )
    .chain((fields) => fc.shuffledSubarray(fields, { minLength: fields.length }))
    .map((fields) => `{${fields.join(" ,\t")}}`),
  value,
);
const requests = field(named("requests"), rarely(list(item, "[]", 6), value));
const body = fc
  .tuple(
    rarely(fc.constant(""), fc.constant("\ufeff")),
    rarely(
      requests.map((one) => `{${one}}`),
      fc.oneof(
        value,
        fc.tuple(requests, requests).map((both) => `{${both.join()}}`),
        fc.tuple(requests, other).map((both) => `{${both.join()}}`),
      ),
    ),
    space,
  )
  .map((parts) => Buffer.from(parts.join("")));

const byte = fc.oneof(
  fc.nat(255),
  fc.constantFrom(...Buffer.from('"\\{}[],:0-.eEutfn \n\t')),
  fc.constantFrom(0xef, 0xbb, 0xbf, 0xe2, 0x82, 0xf0, 0xc3, 0xed, 0xa0, 0x80),
);
const damage = fc.record({
  at: fc.nat(),
  removed: fc.nat(1),
  added: fc.array(byte, { maxLength: 2 }),
});
const damaged = fc.oneof(
  fc.tuple(body, fc.array(damage, { minLength: 1, maxLength: 2 })).map(([whole, all]) =>
    all.reduce((bytes, { at, removed, added }) => {
      const from = at % (bytes.length + 1);
      return Buffer.concat([
        bytes.subarray(0, from),
        Buffer.from(added),
        bytes.subarray(from + removed),
      ]);
    }, whole),
  ),
  fc.tuple(body, fc.nat()).map(([whole, at]) => whole.subarray(0, at % (whole.length + 1))),
);
const cuts = fc.array(fc.nat(), { maxLength: 6 });

test("a body is read as JSON.parse reads it, however it is cut", () => {
  let taken = 0;
  fc.assert(
    fc.property(body, cuts, (bytes, cuts) => {
      if (expectedOf(bytes) !== undefined) taken++;
      agrees(bytes, cuts);
    }),
    { numRuns: 1_000 },
  );
  assert.ok(taken > 200, `only ${taken} of the bodies could be taken`);
});

test("a damaged body is refused where JSON.parse refuses it, in the same words however it is cut", () => {
  fc.assert(fc.property(damaged, cuts, agrees), { numRuns: 3_000 });
});

const around = (params: Buffer | string) =>
  Buffer.concat(
    ['{"requests":[{"custom_id":"a","params":{"p":', params, "}}]}"].map((part) =>
      Buffer.from(part),
    ),
  );

function isJson(bytes: Buffer): boolean {
  try {
    JSON.parse(decode(bytes));
    return true;
  } catch {
    return false;
  }
}

test("every byte is told apart at every place of a text, wherever that begins in memory", () => {
  for (let length = 0; length < 24; length++)
    for (let code = 0; code < 256; code++) {
      // No escape goes on with an x.
      const text = Buffer.from(`"${"x".repeat(length)}?${"x".repeat(20)}"`);
      text[length + 1] = code;
      const bytes = around(text);
      const isFine = isJson(bytes);
      for (let shift = 0; shift < 4; shift++) {
        const moved = Buffer.concat([Buffer.alloc(shift, '"'), bytes]).subarray(shift);
        assert.equal(!("refusal" in readCut(moved, [])), isFine, `${code} behind ${length}`);
      }
    }
});

test("every short run of the letters of numbers is a number where JSON.parse takes it", () => {
  const letters = ["", ..."0-1.eE+ ".split("")];
  const runs = (length: number): string[] =>
    length === 0
      ? [""]
      : letters.flatMap((letter) => runs(length - 1).map((rest) => letter + rest));
  for (const run of new Set(runs(5))) {
    const bytes = around(run);
    assert.equal(!("refusal" in readCut(bytes, [45])), isJson(bytes), run);
  }
});

test("every beginning of a character is judged the same, within a text and outside, cut and whole", () => {
  const seconds = [0x22, 0x41, 0x7f, 0x80, 0x8f, 0x90, 0x9f, 0xa0, 0xbf, 0xc2, 0xff];
  for (let first = 0x80; first < 256; first++)
    for (const second of seconds)
      for (const rest of [[], [0x80], [0x80, 0x80], [0x41, 0x80]]) {
        const bytes = Buffer.from([first, second, ...rest]);
        agrees(around(Buffer.concat([Buffer.from('"'), bytes, Buffer.from('"')])), [40, 43]);
        agrees(around(bytes), [40, 43]);
        agrees(Buffer.concat([Buffer.from('{"'), bytes]), [3]);
      }
});
