// The reference: says what the document says, escapes its input, and loads nothing from outside.
import assert from "node:assert/strict";
import { test } from "node:test";
import { gunzipSync } from "node:zlib";
import Type from "typebox";
import { Failure } from "../../base/failure.ts";
import type { RequestContext } from "../../context.ts";
import { openapi } from "../openapi/openapi.ts";
import { documentRoutes, referenceAssets, referencePage } from "./serve.ts";
import { Reply } from "../output/reply.ts";
import { closed, route, type Route } from "../route.ts";

const baseUrl = "https://plinth.example";
const create = route({
  operation: "memory_stores.create",
  method: "POST",
  path: "/v1/memory_stores/{owner_id}",
  summary: "Makes <b>one</b> store.",
  permission: "memory:write",
  credentials: ["api_key"],
  organizations: ["enterprise"],
  beta: { name: "memory-2026-07-22", gate: "always" },
  query: closed({ tags: Type.Optional(Type.Array(Type.String())) }),
  body: closed({
    name: Type.String({ minLength: 1, maxLength: 64, description: "It's the `name`." }),
    mode: Type.Optional(Type.Enum(["a", "b"], { default: "a" })),
    parts: Type.Array(
      Type.Union([
        closed({ type: Type.Literal("text"), text: Type.String() }),
        closed({ type: Type.Literal("list"), list: Type.Array(Type.Integer()) }),
      ]),
    ),
  }),
  reply: Type.Object({ id: Type.String() }, { $id: "MemoryStore" }),
  handle: () => ({ id: "1" }),
});

const documentOf = (...routes: Route[]) => openapi(routes, { title: "Sample", version: "1" });
const page = referencePage(documentOf(create), { baseUrl });

/** As a reader sees it: without tags, white space in one piece. */
const text = page.replace(/<[^>]*>/g, "").replace(/\s+/g, " ");

test("an operation shows everything that the document says of it", () => {
  for (const said of [
    "memory_stores.create",
    "/v1/memory_stores/{owner_id}",
    "memory:write",
    "api key",
    "enterprise",
    "vendor-beta: memory-2026-07-22",
    "tags[]",
    "owner_id required",
    "name required",
    "1 to 64 characters",
    "default &quot;a&quot;",
    "parts[] where type is &quot;text&quot;",
    "parts[].list",
    "array of integer",
    "413 The body is larger than this route takes.",
    "MemoryStore",
  ])
    assert.ok(text.includes(said), said);
  assert.match(page, /<article class="operation" id="memory_stores.create"/);
  assert.match(page, /<a href="#memory_stores.create">/);
});

test("the example is a command with this server's address and the reader's key", () => {
  const [, code = ""] = /<article[^]*?<pre><code>([^]*?)<\/code>/.exec(page) ?? [];
  const command = code
    .replace(/<[^>]*>/g, "")
    .replaceAll("&quot;", '"')
    .replaceAll("&#39;", "'");
  assert.equal(
    command,
    [
      'curl "https://plinth.example/v1/memory_stores/$OWNER_ID" \\',
      '  -H "x-api-key: $PLINTH_API_KEY" \\',
      '  -H "vendor-beta: memory-2026-07-22" \\',
      '  -H "content-type: application/json" \\',
      "  -d '{",
      '    "name": "…",',
      '    "parts": [',
      "      {",
      '        "type": "text",',
      '        "text": "…"',
      "      }",
      "    ]",
      "  }'",
    ].join("\n"),
  );
});

test("what the routes say is text, never markup", () => {
  assert.ok(!page.includes("<b>one</b>"));
  assert.ok(page.includes("Makes &lt;b&gt;one&lt;/b&gt; store"));
  assert.ok(page.includes("It&#39;s the <code>name</code>."));
});

test("the page keeps a strict policy: no inline script or style, nothing from outside", () => {
  assert.doesNotMatch(page, /<style|\sstyle=|\son\w+=|javascript:/i);
  for (const [, attributes = "", inside] of page.matchAll(/<script([^>]*)>([^]*?)<\/script>/g)) {
    assert.match(attributes, /src="\/docs\/assets\//);
    assert.equal(inside, "");
  }
  for (const [, target = ""] of page.matchAll(/(?:href|src)="([^"]*)"/g))
    assert.match(target, /^(#|\/(?!\/))/, target);
  for (const { content } of referenceAssets) assert.doesNotMatch(content, /https?:|@import|url\(/);
});

test("every link within the page leads somewhere, and no id is given twice", () => {
  const ids = [...page.matchAll(/\sid="([^"]*)"/g)].map(([, id]) => id);
  assert.equal(new Set(ids).size, ids.length);
  for (const [, id] of page.matchAll(/href="#([^"]*)"/g)) assert.ok(ids.includes(id), `#${id}`);
});

test("routes serve the document, the page and what it loads; the document is made once", async () => {
  let made = 0;
  const routes: Route[] = documentRoutes(() => {
    made += 1;
    return documentOf(create, ...routes);
  });
  const ask = async (
    operation: string,
    params: Record<string, string> = {},
    accepted = "gzip;q=0",
  ) => {
    const found = routes.find((known) => known.operation === operation);
    const context = { publicUrl: baseUrl, headers: { "accept-encoding": accepted } };
    const reply = await found?.handle(context as unknown as RequestContext, {
      params,
      query: {},
      body: undefined,
    });
    assert.ok(reply instanceof Reply && reply.body.kind === "bytes");
    const { bytes } = reply.body;
    const isPacked = reply.headers["content-encoding"] === "gzip";
    const text = String(isPacked ? gunzipSync(bytes) : bytes);
    return { headers: reply.headers, text, isPacked, length: Buffer.byteLength(bytes) };
  };
  const document = await ask("documents.openapi");
  assert.deepEqual(JSON.parse(document.text), documentOf(create, ...routes));
  await ask("documents.openapi");
  const { headers, text } = await ask("pages.reference");
  assert.equal(made, 1);
  for (const operation of ["documents.openapi", "pages.reference"]) {
    const [plain, packed] = [await ask(operation), await ask(operation, {}, "br, gzip")];
    assert.deepEqual([plain.isPacked, packed.isPacked], [false, true]);
    assert.equal(packed.text, plain.text);
    assert.ok(packed.length < plain.length / 2);
    assert.deepEqual(
      [plain.headers["vary"], packed.headers["vary"]],
      Array(2).fill("accept-encoding"),
    );
  }
  assert.match(String(headers["content-security-policy"]), /^default-src 'self'/);
  assert.doesNotMatch(String(headers["content-security-policy"]), /unsafe/);
  const files = [...text.matchAll(/"\/docs\/assets\/([^"]*)"/g)].map(([, file = ""]) => file);
  assert.equal(files.length, 2);
  for (const file of files) {
    const asset = await ask("pages.reference_asset", { file });
    assert.match(String(asset.headers["content-type"]), /^text\/(css|javascript)/);
  }
  await assert.rejects(ask("pages.reference_asset", { file: "../page.ts" }), Failure);
});
