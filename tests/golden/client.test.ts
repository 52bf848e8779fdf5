// The generated client against a real server of the sample table.
import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { after, test } from "node:test";
import { pathToFileURL } from "node:url";
import { typeText } from "../../kernel/http/client/type-text.ts";
import { systemClock } from "../../kernel/base/clock.ts";
import { makeIds } from "../../kernel/base/ids.ts";
import { silentLogger } from "../../kernel/base/logger.ts";
import { systemRandom } from "../../kernel/base/random.ts";
import type { Principal, World } from "../../kernel/context.ts";
import { makeDispatch, type Authentication } from "../../kernel/http/dispatch.ts";
import { openapi } from "../../kernel/http/openapi/openapi.ts";
import { generatedSample } from "./contract/generated.ts";
import { sampleKeys, sampleRoutes } from "./contract/sample.ts";

const who: Principal = {
  kind: "console",
  credentialId: "c",
  organizationId: "o",
  organizationType: "platform",
  workspaceId: null,
  userId: null,
  name: "sample",
  permissions: new Set(sampleRoutes.map((route) => route.permission ?? "")),
};

const authentication: Authentication = {
  authenticate: ({ headers }) => {
    if (headers["x-api-key"] === undefined) return undefined;
    return { ...who, kind: headers["x-api-key"] === "admin" ? "admin_key" : "console" };
  },
  explain: (permission) => `it takes ${permission}`,
};

/** Resolves when the client has let go of the stream that has no end. */
const endless = Promise.withResolvers<void>();
const seen: IncomingMessage[] = [];
const random = systemRandom;
const ids = makeIds(systemClock, random);
const world = { clock: systemClock, random, ids, logger: silentLogger, publicUrl: "http://x" };
const dispatch = makeDispatch({
  routes: sampleRoutes,
  // The sample's handlers reach for nothing else.
  world: world as unknown as World,
  authentication,
  onAnswered: () => {},
  checkReplies: true,
});
const server = createServer((request, response) => {
  seen.push(request);
  if (request.url === "/v1/files/proxy") {
    response.writeHead(502, { "content-type": "text/html", "retry-after": "7" });
    response.end("<h1>Bad gateway</h1>");
  } else if (request.url === "/v1/files/in-the-way") {
    const type = "memory_path_conflict_error";
    const error = { type, message: "Taken.", conflicting_path: "/a", details: { error_code: "x" } };
    response.writeHead(409, { "content-type": "application/json" });
    response.end(JSON.stringify({ type: "error", error }));
  } else if (request.url === "/v1/sessions/endless/events/stream") {
    response.writeHead(200, { "content-type": "text/event-stream" });
    response.write('event: status\ndata: {"type":"status"}\n\n');
    response.on("close", endless.resolve);
  } else dispatch(request, response);
}).listen(0, "127.0.0.1");
await once(server, "listening");
const sample = await generatedSample(openapi(sampleRoutes, { title: "Sample", version: "1" }));
after(async () => {
  server.close();
  server.closeAllConnections();
  await sample[Symbol.asyncDispose]();
});

/** The types of the generated file are proven in contract.test.ts; here it is only run. */
interface AnyMethod {
  (input?: unknown): Promise<never>;
}
type AnyClient = Record<string, Record<string, AnyMethod & Record<string, AnyMethod>>> & {
  pages(list: unknown, input?: unknown): AsyncIterable<{ id: string }>;
};
interface Module {
  createClient(options: unknown): AnyClient;
  ApiError: new () => Error;
}

const generated = (await import(pathToFileURL(join(sample.directory, "client.ts")).href)) as Module;
const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
const clientOf = (key: string) =>
  generated.createClient({ baseUrl, headers: { "x-api-key": key } });
const client = clientOf("console");
const admin = clientOf("admin");

const lastUrl = () => decodeURIComponent(seen.at(-1)?.url ?? "");
const collect = async <T>(items: AsyncIterable<T>) => {
  const all: T[] = [];
  for await (const item of items) all.push(item);
  return all;
};
const failure = async (promise: Promise<unknown>): Promise<Record<string, unknown>> => {
  const error: unknown = await promise.then(
    () => assert.fail("it worked"),
    (error: unknown) => error,
  );
  assert.ok(error instanceof generated.ApiError, String(error));
  const facts: Record<string, unknown> = Object.fromEntries(Object.entries(error));
  return { ...facts, message: error.message };
};

test("JSON goes out and comes back", async () => {
  const made = await client["console"]!["keys"]!["create"]!({ body: { name: "first" } });
  assert.deepEqual(made, { ...sampleKeys[0], name: "first", secret: "plinth-secret" });
  assert.equal(seen.at(-1)?.headers["content-type"], "application/json");
  assert.equal(seen.at(-1)?.headers["vendor-version"], "2026-10-21");
});

test("parameters are encoded, and none may be empty or dots", async () => {
  const retrieve = client["organizations"]!["api_keys"]!["retrieve"]!;
  const lost = await failure(retrieve({ params: { api_key_id: "a/b?c" } }));
  assert.equal(seen.at(-1)?.url, "/v1/organizations/api_keys/a%2Fb%3Fc");
  assert.equal(lost["message"], "There is no key a/b?c.");
  const before = seen.length;
  for (const api_key_id of ["", ".", "..", undefined])
    await assert.rejects(retrieve({ params: { api_key_id } }), TypeError);
  assert.equal(seen.length, before);
});

test("queries are written the way the server reads them", async () => {
  const { keys } = client["console"]!;
  await keys!["list"]!({ query: { status: ["active", "inactive"], limit: 1, page: undefined } });
  assert.equal(lastUrl(), "/console/api/keys?status[]=active&status[]=inactive&limit=1");
  const query = { created_at: { gte: "2026-01-01T00:00:00+01:00" }, exact: false };
  await admin["organizations"]!["api_keys"]!["list"]!({ query });
  assert.equal(
    lastUrl(),
    "/v1/organizations/api_keys?created_at[gte]=2026-01-01T00:00:00+01:00&exact=false",
  );
});

test("pages are walked to their end, by cursor and by id, with the query repeated", async () => {
  const names = sampleKeys.map((key) => key.id);
  const byCursor = client.pages(client["console"]!["keys"]!["list"], {
    query: { limit: 2, status: ["active"] },
  });
  assert.deepEqual(
    (await collect(byCursor)).map((key) => key.id),
    names,
  );
  assert.equal(lastUrl(), "/console/api/keys?limit=2&status[]=active&page=4");
  const byId = admin.pages(admin["organizations"]!["api_keys"]!["list"]);
  assert.deepEqual(
    (await collect(byId)).map((key) => key.id),
    names,
  );
  assert.equal(lastUrl(), "/v1/organizations/api_keys?after_id=apikey_d");
});

/** Byte by byte, so that frames and characters are torn apart. */
const torn = async (...request: Parameters<typeof fetch>) => {
  const response = await fetch(...request);
  const bytes = [...new Uint8Array(await response.arrayBuffer())];
  return new Response(ReadableStream.from(bytes.map((byte) => Uint8Array.of(byte))), response);
};

test("events are parsed from whatever pieces they come in", async () => {
  const headers = { "x-api-key": "console" };
  const client = generated.createClient({ baseUrl, headers, fetch: torn });
  const body = { model: "m", max_tokens: 1, messages: [{ role: "user", content: "a" }] };
  const create = client["messages"]!["create"]!;
  const stream: AsyncIterable<unknown> = await create({ body: { ...body, stream: true } });
  assert.deepEqual(await collect(stream), [
    { type: "message_start" },
    { type: "text", text: "zwölf" },
  ]);
  assert.equal(seen.at(-1)?.headers["vendor-beta"], "sample-2026-07-22");
  assert.deepEqual(await create({ body }), { id: "msg_1", content: [{ type: "text", text: "m" }] });
});

test("an error in the middle of a stream is thrown after what came before it", async () => {
  const open = client["sessions"]!["events"]!["stream"]!;
  const stream: AsyncIterable<unknown> = await open({ params: { session_id: "s" } });
  const got: unknown[] = [];
  const all = async () => {
    for await (const event of stream) got.push(event);
  };
  const error = await failure(all());
  assert.deepEqual(got, [{ type: "status" }]);
  assert.equal(error["type"], "overloaded_error");
  assert.equal(error["message"], "Too busy.");
});

test("bytes, text and nothing come back as they are", async () => {
  const params = { file_id: "f" };
  const response: Response = await client["files"]!["download"]!({ params });
  assert.deepEqual([...new Uint8Array(await response.arrayBuffer())], [1, 2, 3]);
  assert.equal(await client["files"]!["delete"]!({ params }), undefined);
  assert.equal(await client["operations"]!["metrics"]!(), "up 1\n");
  const bytes = new Uint8Array([1, 2, 3, 4]);
  const replace = client["files"]!["replace"]!;
  assert.deepEqual(await replace({ params, body: bytes }), { bytes: 4 });
  assert.deepEqual(await replace({ params, body: new Blob([bytes]).stream() }), { bytes: 4 });
});

test("a body that may be long goes out as an object, or as bytes that are JSON already", async () => {
  const importKeys = client["console"]!["keys"]!["import"]!;
  const text = '{"names": ["first", "zwölf"]}';
  const torn = [...Buffer.from(text)].map((byte) => Uint8Array.of(byte));
  const bodies = [new Blob([text]), ReadableStream.from(torn)];
  for (const body of bodies) {
    assert.deepEqual(await importKeys({ body }), { text });
    assert.equal(seen.at(-1)?.headers["content-type"], "application/json");
  }
  const names = ["first", "zwölf"];
  assert.deepEqual(await importKeys({ body: { names } }), { text: JSON.stringify({ names }) });
});

test("what the server refuses is thrown with everything it said", async () => {
  const body = { name: "taken" };
  const taken = await failure(client["console"]!["keys"]!["create"]!({ body }));
  assert.deepEqual(
    { ...taken, requestId: "" },
    {
      name: "ApiError",
      message: "There is a key taken already.",
      status: 409,
      type: "conflict_error",
      code: "name_taken",
      details: { error_code: "name_taken", n: 1 },
      requestId: "",
      retryAfterSeconds: undefined,
    },
  );
  assert.match(String(taken["requestId"]), /^req_/);
});

test("what else an error says stands beside its details", async () => {
  const error = await failure(client["files"]!["delete"]!({ params: { file_id: "in-the-way" } }));
  assert.equal(error["type"], "memory_path_conflict_error");
  assert.deepEqual(error["details"], { conflicting_path: "/a", error_code: "x" });
  assert.equal(error["code"], "x");
});

test("an answer that is not the server's own is an ApiError all the same", async () => {
  const error = await failure(client["files"]!["delete"]!({ params: { file_id: "proxy" } }));
  assert.equal(error["status"], 502);
  assert.equal(error["type"], "api_error");
  assert.equal(error["message"], "502 Bad Gateway");
  assert.equal(error["retryAfterSeconds"], 7);
});

test("a stream that nobody reads on is given back", { timeout: 5000 }, async () => {
  const open = client["sessions"]!["events"]!["stream"]!;
  const stream: AsyncIterable<{ type: string }> = await open({ params: { session_id: "endless" } });
  for await (const event of stream) {
    assert.equal(event.type, "status");
    break;
  }
  await endless.promise;
});

test("an array of several kinds of objects is one of all of them", () => {
  const kind = (name: string) => ({
    type: "object",
    properties: { [name]: { type: "string" } },
    required: [name],
  });
  const items = { anyOf: [kind("one"), kind("other")] };
  assert.equal(
    typeText({ type: "array", items }),
    "({\n  one: string;\n} | {\n  other: string;\n})[]",
  );
});
