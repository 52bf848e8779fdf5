// Query strings as clients write them.
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import Type from "typebox";
import { parseQuery } from "./query.ts";
import { closed } from "../route.ts";
import { checker } from "../validate/validate.ts";

const range = closed({ gte: Type.Optional(Type.String()), lt: Type.Optional(Type.String()) });
const schema = closed({
  limit: Type.Optional(Type.Integer({ minimum: 1 })),
  price: Type.Optional(Type.Union([Type.Number(), Type.Null()])),
  deep: Type.Optional(Type.Boolean()),
  name: Type.Optional(Type.String()),
  statuses: Type.Optional(Type.Array(Type.String())),
  sizes: Type.Optional(Type.Array(Type.Integer())),
  created_at: Type.Optional(range),
});
const check = checker(schema, "query");

const read: [text: string, value: object][] = [
  ["", {}],
  ["beta=true", {}],
  ["limit=5&deep=true", { limit: 5, deep: true }],
  ["price=1.5", { price: 1.5 }],
  ["statuses[]=idle&statuses[]=running", { statuses: ["idle", "running"] }],
  ["statuses%5B%5D=idle&statuses%5b%5d=running", { statuses: ["idle", "running"] }],
  ["statuses=idle&statuses=running", { statuses: ["idle", "running"] }],
  ["statuses[0]=a&statuses[1]=b", { statuses: ["a", "b"] }],
  ["statuses=a&statuses[]=b", { statuses: ["a", "b"] }],
  ["statuses[]=", { statuses: [""] }],
  ["limit=&name=&created_at[gte]=", {}],
  ["sizes[]=1&sizes[]=2", { sizes: [1, 2] }],
  ["created_at[gte]=a&created_at%5Blt%5D=b", { created_at: { gte: "a", lt: "b" } }],
  ["name=a+b%20c%26", { name: "a b c&" }],
  ["name=%zz", { name: "%zz" }],
];

for (const [text, value] of read) {
  test(`?${text}`, () => {
    const found = parseQuery(text, schema);
    assert.deepEqual(JSON.parse(JSON.stringify(found)), value);
    assert.equal(check(found), undefined);
  });
}

const refused: [text: string, sentence: string][] = [
  ["limit=0", "limit: must be at least 1."],
  ["limit=-1", "limit: must be at least 1."],
  ["limit=1.5", "limit: must be a whole number, not a fraction."],
  ["limit=abc", "limit: must be a whole number, not a string."],
  ["limit=1&limit=2", "limit: is given twice; give it once."],
  ["limit[]=1", "limit: must be a whole number, not an array."],
  ["limit[gte]=1", "limit: must be a whole number, not an object."],
  ["deep=yes", "deep: must be true or false, not a string."],
  ["sizes[]=1&sizes[]=x", "sizes.1: must be a whole number, not a string."],
  ["created_at[gte]=a&created_at[gte]=b", "created_at[gte]: is given twice; give it once."],
  ["created_at=a&created_at[gte]=b", "created_at: is given twice; give it once."],
  ["name=a&name[]=b", "name: is given twice; give it once."],
  ["created_at[gt]=a", "created_at.gt: is not known here; did you mean gte?"],
  [
    "created_at[after]=a",
    "created_at[after]: is not known here; known are limit, price, deep, name, statuses, sizes, created_at.",
  ],
  ["nam=a", "nam: is not known here; did you mean name?"],
  [
    "__proto__=a",
    "__proto__: is not known here; known are limit, price, deep, name, statuses, sizes, created_at.",
  ],
  [
    "__proto__[gte]=a",
    "__proto__: is not known here; known are limit, price, deep, name, statuses, sizes, created_at.",
  ],
  ["name=%00", "The query holds the character U+0000; leave it out."],
];

for (const [text, sentence] of refused) {
  test(`[HTP6] ?${text}: ${sentence}`, () => {
    let said: string | undefined;
    try {
      said = check(parseQuery(text, schema))?.message;
    } catch (error) {
      said = error instanceof Error ? error.message : "";
    }
    assert.equal(said, sentence);
    assert.equal(Object.hasOwn(Object.prototype, "gte"), false);
  });
}

test("whatever a client writes in any of the spellings is read back", () => {
  const words = fc.array(
    fc.string().filter((word) => !word.includes("\0") && word.isWellFormed()),
    { minLength: 1, maxLength: 5 },
  );
  fc.assert(
    fc.property(
      words,
      fc.constantFrom("statuses[]", "statuses", "statuses[0]"),
      fc.boolean(),
      (list, key, encoded) => {
        const text = list
          .map((word) => `${encoded ? encodeURIComponent(key) : key}=${encodeURIComponent(word)}`)
          .join("&");
        assert.deepEqual(parseQuery(text, schema)["statuses"], list);
      },
    ),
  );
});
