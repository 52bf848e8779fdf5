// Rules RBD4 to RBD6: what is taken out of a value before it is kept, and where it is cut.
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { test } from "node:test";
import { parseExactly } from "../../../kernel/base/exact-json.ts";
import type { RedactRule } from "../schema.ts";
import { keptJson, redactorOf } from "./kept-json.ts";

const kept = (value: unknown, rules: readonly RedactRule[] = [], bytesMax = 100_000) =>
  keptJson(value, redactorOf(rules), bytesMax);
const clean = (value: unknown, ...rules: RedactRule[]): unknown =>
  parseExactly(kept(value, rules).text);
const kinds: RedactRule[] = [{ type: "email" }, { type: "phone" }, { type: "card_number" }];

/** In each place of a conversation where a text can stand. */
const everywhere = (text: string) => ({
  system: [{ type: "text", text: `Of ${text}.` }],
  messages: [
    { role: "user", content: `Write to ${text}, please` },
    {
      role: "assistant",
      content: [{ type: "tool_use", id: "t", name: "send", input: { to: [{ who: text }] } }],
    },
    {
      role: "user",
      content: [{ type: "tool_result", tool_use_id: "t", content: [{ type: "text", text }] }],
    },
  ],
  tools: [{ name: "send", input_schema: { properties: { [text]: { description: text } } } }],
  metadata: { user_id: text },
});
const places = 7;

function gone(text: string, what: string, ...rules: RedactRule[]): void {
  const { text: left } = kept(everywhere(text), rules);
  assert.equal(left.includes(text), false, `${text} in ${left}`);
  assert.equal(left.split(`[redacted: ${what}]`).length - 1, places, left);
}

test("[RBD4] e-mail addresses go in every place, whatever stands around them", () => {
  const rule: RedactRule = { type: "email" };
  for (const address of [
    "jane.doe@example.com",
    "JANE+tag@mail.example.co.uk",
    "müller@bücher.example",
    "a_b-c%d@x-y.example",
  ])
    gone(address, "email", rule);
  assert.deepEqual(clean(["<jane@example.com>,(joe@example.org)", "a@b", "@home"], rule), [
    "<[redacted: email]>,([redacted: email])",
    "a@b",
    "@home",
  ]);
  const long = `${"x".repeat(300)}@example.com`;
  assert.deepEqual(clean([long], rule), ["[redacted: email]"]);
});

test("[RBD4] numbers of phones go, abroad and at home; other numbers stay", () => {
  const rule: RedactRule = { type: "phone" };
  for (const number of [
    "+49 30 1234567",
    "+1 (555) 234-5678",
    "+442071234567",
    "030/1234567",
    "(030) 123 45 67",
    "555-234-5678",
    "(555) 234-5678",
  ])
    gone(number, "phone", rule);
  const others = ["2026-11-28T10:20:30Z", "3.14159", "1764336882000", "1,000,000", "v1.20.300", 42];
  assert.deepEqual(clean(others, rule), others);
  assert.deepEqual(clean([4_915_112_345_678], rule), [4_915_112_345_678]);
});

test("[RBD4] numbers of cards go where their check digit fits, also as numbers and before a date", () => {
  const rule: RedactRule = { type: "card_number" };
  for (const number of [
    "4111111111111111",
    "4111 1111 1111 1111",
    "5555-5555-5555-4444",
    "378282246310005",
    "3782 822463 10005",
    "6011 0009 9013 9424",
  ])
    gone(number, "card_number", rule);
  const card = "[redacted: card_number]";
  assert.deepEqual(clean([4111111111111111, "4111 1111 1111 1111 12/28"], rule), [
    card,
    `${card} 12/28`,
  ]);
  assert.deepEqual(clean(["4111 1111 1111 1111 2026 11 28"], rule), [`${card} 2026 11 28`]);
  assert.deepEqual(clean(["7 4111 1111 1111 1111 and 5555 5555 5555 4444"], rule), [
    `7 ${card} and ${card}`,
  ]);
  const others = ["4111111111111112", "1764336882000", "123456789012345678901234567890"];
  assert.deepEqual(clean(others, rule), others);
});

test("[RBD4] words go without case, the longer one first, and are no expressions", () => {
  const rules: RedactRule[] = [
    { type: "word", word: "Falcon" },
    { type: "word", word: "Project Falcon" },
    { type: "word", word: "a.c(" },
  ];
  gone("project FALCON", "word", ...rules);
  assert.deepEqual(clean(["falconry a.C( abc("], ...rules), [
    "[redacted: word]ry [redacted: word] abc(",
  ]);
});

test("[RBD4] fields go by the names that lead to them, whatever is in them", () => {
  const body = {
    metadata: { user_id: "u1", other: 1 },
    user_id: "u2",
    tools: [{ name: "one", input_schema: { a: 1 } }, { name: "two" }],
    messages: [
      { content: [{ type: "tool_use", input: { customer: { metadata: { user_id: "u3" } } } }] },
    ],
  };
  const mark = "[redacted: field]";
  assert.deepEqual(clean(body, { type: "field", field: "metadata.user_id" }), {
    ...body,
    metadata: { user_id: mark, other: 1 },
    messages: [
      { content: [{ type: "tool_use", input: { customer: { metadata: { user_id: mark } } } }] },
    ],
  });
  assert.deepEqual(clean(body, { type: "field", field: "tools[].name" }), {
    ...body,
    tools: [{ name: mark, input_schema: { a: 1 } }, { name: mark }],
  });
  assert.deepEqual(clean(body, { type: "field", field: "tools" }), { ...body, tools: mark });
  assert.deepEqual(clean(body, { type: "field", field: "input" }), {
    ...body,
    messages: [{ content: [{ type: "tool_use", input: mark }] }],
  });
});

test("[RBD4] fields are found in JSON within a text; a text without them stays as it was", () => {
  const inner = { rows: [{ name: "Jane", sum: 3 }] };
  const rule: RedactRule = { type: "field", field: "rows[].name" };
  const [text] = clean([` ${JSON.stringify(inner, null, 1)}`], rule) as string[];
  assert.deepEqual(parseExactly(text ?? ""), { rows: [{ name: "[redacted: field]", sum: 3 }] });
  const twice = JSON.stringify({ content: JSON.stringify(inner) });
  assert.equal(kept([twice], [rule]).text.includes("Jane"), false);
  const others = ['{ "a" :  1 }', "[not JSON", '{"a":'];
  assert.deepEqual(clean(others, rule), others);
});

test("[RBD4] secrets go always: by how they look, and by what their field is called", () => {
  const key = `sk-plinth-api-${"a1B2".repeat(12)}`;
  for (const text of [key, "Bearer abcdef123456", `token=${key}`, "https://u:pass1234@host/x"]) {
    const { text: left } = kept(everywhere(text));
    assert.equal(/a1B2a1B2|abcdef123456|pass1234/.test(left), false, left);
  }
  const spoken = [
    "password: hunter2x",
    'PASSWORD: "hunter2x"',
    "DB_PASSWORD=hunter2x",
    "pwd = hunter2x",
  ];
  for (const name of ["api_key", "secret", "aws_secret_access_key", "AccountKey", "auth-token"])
    spoken.push(`${name}: hunter2x`, `${name}='hunter2x'`);
  for (const begin of [
    "AIza",
    "sk_live_",
    "rk_test_",
    "glpat-",
    "github_pat_",
    "npm_",
    "hf_",
    "gsk_",
  ])
    spoken.push(`${begin}hunter2xhunter2x`);
  for (const text of [...spoken, "ya29.hunter2xhunter2x", "SG.hunter2xhunter2x.hunter2xhunter2x"]) {
    const { text: left } = kept(everywhere(text));
    assert.equal(left.includes("hunter2x"), false, left);
  }
  const harmless = [
    "max_tokens: 4096",
    "the secret of it",
    "password: {",
    "tokens=12345",
    "a token: no",
  ];
  assert.deepEqual(clean(harmless), harmless);
  const body = {
    mcp_servers: [{ type: "url", url: "https://mcp.example", authorization_token: "abc" }],
    input: { password: "hunter2", api_key: 12345, client_secret: ["one"], tokens: 3 },
    input_schema: { properties: { password: { type: "string" } }, required: ["password"] },
  };
  const mark = "[redacted: secret]";
  assert.deepEqual(clean(body), {
    ...body,
    mcp_servers: [{ type: "url", url: "https://mcp.example", authorization_token: mark }],
    input: { password: mark, api_key: mark, client_secret: mark, tokens: 3 },
  });
});

test("[RBD5] pictures and documents are their kind, length and hash, wherever they stand", () => {
  const bytes = Buffer.from("a picture of somewhere");
  const data = bytes.toString("base64");
  const source = { type: "base64", media_type: "image/png", data };
  const sha256 = createHash("sha256").update(bytes).digest("hex");
  const note = `[not kept: image/png, ${bytes.length} bytes, sha256 ${sha256}]`;
  const result = { type: "tool_result", content: [{ type: "document", source }] };
  assert.deepEqual(clean([{ type: "image", source }, result]), [
    { type: "image", source: { ...source, data: note } },
    { type: "tool_result", content: [{ type: "document", source: { ...source, data: note } }] },
  ]);
  const odd = { type: "base64", media_type: "of jane@example.com", data };
  assert.equal(kept([odd], kinds).text.includes("jane"), false);
  const plain = { type: "text", media_type: "text/plain", data: "words" };
  assert.deepEqual(clean([plain]), [plain]);
});

test("[RBD6] a cut is exactly at the most bytes, and never within a character", () => {
  const value = { text: "aé€😀".repeat(300) };
  const whole = Buffer.from(JSON.stringify(value));
  for (let bytesMax = 1024; bytesMax < 1040; bytesMax++) {
    const { text, isCut } = kept(value, [], bytesMax);
    const bytes = Buffer.from(text);
    assert.ok(isCut);
    assert.ok(bytes.length <= bytesMax && bytes.length > bytesMax - 4, `${bytes.length}`);
    assert.ok(bytes.equals(whole.subarray(0, bytes.length)));
    assert.equal(text.includes("�"), false);
  }
  assert.deepEqual(kept(value, [], whole.length), { text: whole.toString(), isCut: false });
  assert.equal(kept(value, [], whole.length - 1).isCut, true);
});

test("[RBD6] what lies behind the cut is not looked at, and what lies before it is as without one", () => {
  const long = everywhere("jane@example.com");
  const value = { ...long, list: Array.from({ length: 5_000 }, (_, n) => ({ n, ...long })) };
  const whole = kept(value, kinds, 50_000_000).text;
  for (const bytesMax of [1024, 1500, 4096, 65_536]) {
    const { text, isCut } = kept(value, kinds, bytesMax);
    assert.equal(isCut, true);
    assert.equal(text, whole.slice(0, bytesMax));
  }
});

test("[RBD6] what a cut would halve is redacted all the same", () => {
  for (let before = 1000; before < 1030; before++) {
    const address = "jane.doe@example.com";
    const text = `${"-".repeat(before)}${address}${"-".repeat(50_000)}`;
    const { text: left } = kept([text], kinds, 1024);
    assert.equal(left.includes("jane"), false, left.slice(-40));
  }
  // Marks are shorter than what they stand for: more of the text is looked at, up to the cut.
  const address = `${"j".repeat(200)}@example.com `;
  const { text: left } = kept([address.repeat(3_000)], kinds, 4096);
  assert.equal(/jj|example/.test(left), false);
  assert.equal(left.length, 4096);
});

test("[RBD4] no text takes longer than in proportion to its length", () => {
  const rules: RedactRule[] = [
    ...kinds,
    { type: "word", word: "aaaaaaaaab" },
    { type: "field", field: "a.b" },
  ];
  const length = 1_000_000;
  const unit = [
    "a",
    "a@",
    "1",
    "1 ",
    "0",
    "+1",
    "(0",
    "a.",
    "[",
    '{"a":',
    "basic ",
    ":/",
    " ",
    "token",
    "token:",
    "key= ",
  ];
  for (const piece of unit) {
    const text = piece.repeat(length / piece.length);
    const before = process.cpuUsage();
    kept([`${text}@`], rules, length);
    const { user, system } = process.cpuUsage(before);
    assert.ok((user + system) / 1000 < 3_000, `${piece}: ${(user + system) / 1000} ms`);
  }
});
