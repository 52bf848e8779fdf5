// What is generated from the sample table: it stays as it is, compiles, and says nothing false.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { test } from "node:test";
import { promisify } from "node:util";
import { join } from "node:path";
import { openapi } from "../../kernel/http/openapi/openapi.ts";
import { operationEntries, resolveReference } from "../../kernel/http/openapi/document.ts";
import { clientText, typesText } from "../../kernel/http/client/client-text.ts";
import { pathParams } from "../../kernel/http/route.ts";
import { sampleRoutes } from "./contract/sample.ts";
import { generatedSample } from "./contract/generated.ts";

const document = openapi(sampleRoutes, { title: "Sample", version: "1" });
const checkout = join(import.meta.dirname, "../..");
const golden = (name: string) => join(import.meta.dirname, "contract", name);
const asIs = { serializers: [(text: string) => text] };

test("the sample's document, types and client are the golden ones", (t) => {
  const [, operations = ""] = clientText(document).split("export interface Client");
  t.assert.fileSnapshot(JSON.stringify(document, null, 2), golden("openapi.golden"), asIs);
  t.assert.fileSnapshot(typesText(document), golden("types.golden"), asIs);
  t.assert.fileSnapshot(operations, golden("client.golden"), asIs);
});

test("every pointer of the document points at something", () => {
  const pointers = [...JSON.stringify(document).matchAll(/"\$ref":"([^"]*)"/g)];
  assert.ok(pointers.length > 50);
  for (const [, $ref = ""] of pointers) assert.ok(resolveReference(document, { $ref }), $ref);
});

test("every route is an operation, with a name of its own and its path's parameters", () => {
  const all = operationEntries(document);
  const names = new Set(all.map(({ operation }) => operation.operationId));
  assert.deepEqual(names, new Set(sampleRoutes.map((route) => route.operation)));
  assert.equal(names.size, all.length);
  for (const { path, operation } of all) {
    const declared = operation.parameters
      .map((item) => resolveReference(document, item))
      .filter((item) => item.in === "path");
    assert.deepEqual(
      declared.map((item) => item.name),
      pathParams(path),
    );
    for (const scheme of operation.security)
      for (const name of Object.keys(scheme))
        assert.ok(document.components.securitySchemes[name], name);
    for (const tag of operation.tags.slice(0, 1))
      assert.ok(document.tags.some((known) => known.name === tag));
  }
});

const usage = `
import { createClient, ApiError, type StreamEvent } from "./client.ts";
import type { Key, Folder } from "./types.ts";
const client = createClient({ baseUrl: "", headers: { "x-api-key": "k" } });
export async function use(status: "active" | undefined) {
  const key: Key = await client.organizations.api_keys.retrieve({ params: { api_key_id: "a" } });
  const made = await client.console.keys.create({ body: { name: "n", kind: undefined } });
  const secret: string = made.secret + made.name;
  for await (const item of client.pages(client.console.keys.list)) item.id satisfies string;
  const query = { created_at: { gte: "2026" }, limit: 2 };
  for await (const item of client.pages(client.organizations.api_keys.list, { query }))
    item satisfies Key;
  const body = { model: "m", max_tokens: 1, messages: [] };
  const message = await client.messages.create({ body });
  const first = message.content[0];
  if (first?.type === "image") first.source.size satisfies [number, number];
  const stream = await client.messages.create({ body: { ...body, stream: true } });
  for await (const event of stream) event satisfies StreamEvent;
  const response: Response = await client.files.download({ params: { file_id: "f" } });
  const nothing: void = await client.files.delete({ params: { file_id: "f" } });
  await client.files.upload({ body: new FormData() });
  await client.console.keys.import({ body: new Blob([]) });
  await client.console.keys.import({ body: new Blob([]).stream() });
  await client.console.keys.import({ body: { names: ["a"] } });
  // @ts-expect-error text could be meant as either
  await client.console.keys.import({ body: "{}" });
  // @ts-expect-error a body that is read at once is an object
  await client.console.keys.create({ body: new Blob([]) });
  const folder: Folder = { name: "a", parent: { name: "b" } };
  await client.console.keys.list({ query: { status: status && [status] } });
  // @ts-expect-error a field that the route does not know
  await client.console.keys.create({ body: { name: "n", colour: 1 } });
  // @ts-expect-error a value that is none of the enumeration
  await client.console.keys.list({ query: { status: ["lost"] } });
  // @ts-expect-error the parameters are missing
  await client.files.download();
  // @ts-expect-error no such operation
  await client.files.list();
  // @ts-expect-error no list
  client.pages(client.files.delete, { params: { file_id: "f" } });
  return { key, secret, response, nothing, folder, ApiError };
}
`;

test("the client and its types compile, for Node and for browsers", async () => {
  await using sample = await generatedSample(document, { "usage.ts": usage });
  const flags = "--noEmit --strict --target esnext --module nodenext --allowImportingTsExtensions";
  const strict = "--erasableSyntaxOnly --verbatimModuleSyntax --exactOptionalPropertyTypes";
  const more = "--noUncheckedIndexedAccess --noUnusedLocals --skipLibCheck";
  const words = `${flags} ${strict} ${more}`.split(" ");
  const run = (...types: string[]) =>
    promisify(execFile)(
      join(checkout, "node_modules/.bin/tsc"),
      [...words, ...types, join(sample.directory, "usage.ts")],
      { cwd: sample.directory },
    ).catch((error: { stdout: string }) => assert.fail(error.stdout));
  const nodeTypes = join(checkout, "node_modules/@types");
  await run("--lib", "esnext", "--types", "node", "--typeRoots", nodeTypes);
  await run("--lib", "esnext,dom,dom.iterable");
});

test("the part of the client that is not the table stays small", () => {
  const [runtime = ""] = clientText(document).split("export interface Client extends");
  assert.ok(runtime.length < 10_000, `${runtime.length} characters`);
});
