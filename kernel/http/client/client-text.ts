// Writes the typed client and its types as TypeScript, from the OpenAPI document.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { comment, pascal, typeText } from "./type-text.ts";
import {
  callable,
  resolveReference,
  type OperationEntry,
  type OpenApi,
  type Operation,
  type Parameter,
  type Schema,
} from "../openapi/document.ts";

const generated = "Generated from the route table by tools/contract.ts: do not edit.";
const marker = "// From here on the generator writes";

/** `contract/types.ts`: the named shapes, then what goes into each operation and what comes out. */
export function typesText(document: OpenApi): string {
  const { schemas } = document.components;
  const named = Object.entries(schemas).map(
    ([name, schema]) => `${comment(schema)}export type ${name} = ${typeText(schema)};\n`,
  );
  const parts = callable(document).flatMap(({ operation }) => {
    const { params, query, body, reply } = shapesOf(document, operation);
    const name = pascal(operation.operationId);
    const line = (suffix: string, schema: Schema | undefined, loose: boolean) => {
      if (schema === undefined) return [];
      assert(
        !Object.hasOwn(schemas, name + suffix),
        `a schema and an operation both make the type ${name}${suffix}`,
      );
      return [`export type ${name}${suffix} = ${typeText(schema, 0, { loose })};\n`];
    };
    return [
      ...line("Params", params, true),
      ...line("Query", query, true),
      ...line("Body", body, true),
      ...line("Reply", reply, false),
    ];
  });
  return [`// The shapes on the wire. ${generated}\n`, ...named, ...parts].join("\n");
}

/** `contract/client.ts`: the runtime, then the operations. */
export function clientText(document: OpenApi): string {
  const runtime = readFileSync(new URL("./runtime.ts", import.meta.url), "utf8");
  const from = runtime.indexOf("\n") + 1;
  const to = runtime.indexOf(marker);
  assert(to !== -1, "client/runtime.ts has lost the line that ends it");
  const found = callable(document);
  return [
    `// A client for every operation of this server. ${generated}\n`,
    `import type * as api from "./types.ts";\n`,
    runtime.slice(from, to),
    `export interface Client extends Pages ${treeText(document, found)}\n\n`,
    `const calls: Record<string, Call> = {\n${found.map(callText).join("")}};\n`,
  ].join("");
}

function contentOf(document: OpenApi, { responses }: Operation) {
  const response = responses["200"];
  return response === undefined ? {} : (resolveReference(document, response).content ?? {});
}

interface Shapes {
  params: Schema | undefined;
  query: Schema | undefined;
  body: Schema | undefined;
  reply: Schema | undefined;
}

function shapesOf(document: OpenApi, operation: Operation): Shapes {
  const parameters = operation.parameters.map((item) => resolveReference(document, item));
  const within = (location: Parameter["in"]) => {
    const found = parameters.filter((item) => item.in === location);
    return found.length === 0 ? undefined : objectOf(found);
  };
  return {
    params: within("path"),
    query: within("query"),
    body: operation.requestBody?.content["application/json"]?.schema,
    reply: contentOf(document, operation)["application/json"]?.schema,
  };
}

/** `statuses[]` is the field `statuses` again, `created_at[gte]` a field of `created_at`. */
function objectOf(parameters: readonly Parameter[]): Schema {
  const properties: Record<string, Schema> = {};
  const required: string[] = [];
  for (const { name, schema, description, required: needed } of parameters) {
    const [, key = name, sub = ""] = /^([^[]+)\[(\w*)\]$/.exec(name) ?? [];
    const described = description === undefined ? schema : { ...schema, description };
    properties[key] =
      sub === ""
        ? described
        : { type: "object", properties: { ...properties[key]?.properties, [sub]: described } };
    if (needed) required.push(key);
  }
  return { type: "object", required, properties };
}

interface Tree {
  [name: string]: Tree | string;
}

/** Nouns within nouns, as the interface that callers see. */
function treeText(document: OpenApi, found: readonly OperationEntry[]): string {
  const root: Tree = {};
  for (const entry of found) {
    const steps = entry.operation.operationId.split(".");
    const verb = steps.pop() ?? "";
    let at = root;
    for (const step of steps) {
      const next = (at[step] ??= {});
      assert(typeof next !== "string", `${step} is a noun and an operation`);
      at = next;
    }
    assert(at[verb] === undefined, `${verb} is a noun and an operation`);
    at[verb] = methodText(document, entry, steps.length + 1);
  }
  return branchText(root, 1);
}

function branchText(tree: Tree, indent: number): string {
  const pad = "  ".repeat(indent);
  const lines = Object.entries(tree).map(([name, part]) =>
    typeof part === "string" ? part : `${pad}${name}: ${branchText(part, indent + 1)};\n`,
  );
  return `{\n${lines.join("")}${"  ".repeat(indent - 1)}}`;
}

function methodText(
  document: OpenApi,
  { path, verb, operation }: OperationEntry,
  indent: number,
): string {
  const pad = "  ".repeat(indent);
  const name = operation.operationId.split(".").pop() ?? "";
  const content = contentOf(document, operation);
  const description = `${operation.summary} \`${verb.toUpperCase()} ${path}\``;
  const events = "AsyncGenerator<StreamEvent, void, undefined>";
  const line = (input: string, reply: string) => `${pad}${name}(${input}): Promise<${reply}>;\n`;
  const about = comment({ description }, pad);
  const input = inputText(document, operation);
  const plain = about + line(input, replyText(document, operation));
  if (content["text/event-stream"] === undefined) return plain;
  if (content["application/json"] === undefined) return about + line(input, events);
  return about + line(inputText(document, operation, "{ stream: true }"), events) + plain;
}

function inputText(document: OpenApi, operation: Operation, and?: string): string {
  const { params, query, body } = shapesOf(document, operation);
  const name = pascal(operation.operationId);
  const raw = rawBody(operation);
  const more = operation["x-streamed-body"] ? " | JsonBytes" : and ? ` & ${and}` : "";
  const bodyType = body === undefined ? raw : `api.${name}Body${more}`;
  const parts = [
    params && `params: api.${name}Params`,
    query && `query${query.required?.length ? "" : "?"}: api.${name}Query`,
    bodyType && `body${operation.requestBody?.required || and ? "" : "?"}: ${bodyType}`,
  ].filter((part) => part !== undefined && part !== "");
  const optional = parts.every((part) => part?.includes("?:"));
  const type = parts.length === 0 ? "CallOptions" : `{ ${parts.join("; ")} } & CallOptions`;
  return `input${optional ? "?" : ""}: ${type}`;
}

function rawBody({ requestBody }: Operation): string | undefined {
  if (requestBody?.content["multipart/form-data"] !== undefined) return "FormData | FormBytes";
  return requestBody?.content["application/octet-stream"] === undefined ? undefined : "Bytes";
}

function replyText(document: OpenApi, operation: Operation): string {
  if (operation.responses["204"] !== undefined) return "void";
  const content = contentOf(document, operation);
  if (content["application/json"] !== undefined) return `api.${pascal(operation.operationId)}Reply`;
  return content["text/plain"] === undefined ? "Response" : "string";
}

function callText({ path, verb, operation }: OperationEntry): string {
  const beta = operation["x-beta"]?.name;
  const pages = operation["x-pages"];
  const content = operation.responses["200"];
  const kinds = content !== undefined && "content" in content ? (content.content ?? {}) : {};
  const facts = [
    `route: ${JSON.stringify(`${verb.toUpperCase()} ${path}`)}`,
    beta && `beta: ${JSON.stringify(beta)}`,
    rawBody(operation) && "raw: true",
    operation["x-streamed-body"] && "streamed: true",
    (kinds["*/*"] ?? kinds["application/x-jsonl"]) && `reply: "bytes"`,
    kinds["text/plain"] && `reply: "text"`,
    pages && `pages: ${JSON.stringify(pages)}`,
  ].filter((fact) => typeof fact === "string");
  return `  ${JSON.stringify(operation.operationId)}: { ${facts.join(", ")} },\n`;
}
