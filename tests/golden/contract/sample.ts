// A small route table with one of everything that the document and the client have to know.
import { Readable } from "node:stream";
import { buffer } from "node:stream/consumers";
import Type from "typebox";
import { conflict, notFound } from "../../../kernel/base/failure.ts";
import { multipart } from "../../../kernel/http/input/multipart.ts";
import { cursorPage, cursorQuery, idPage, idQuery } from "../../../kernel/http/pages.ts";
import { noContent, page, stream, text, written } from "../../../kernel/http/output/reply.ts";
import { closed, openRoute, route, streamedJson, type Route } from "../../../kernel/http/route.ts";

const nullable = <T extends Type.TSchema>(schema: T) => Type.Union([schema, Type.Null()]);

export const Key = Type.Object(
  {
    id: Type.String({ description: "Its id.", examples: ["apikey_01k8"] }),
    type: Type.Literal("api_key"),
    name: Type.String({ minLength: 1, maxLength: 500 }),
    status: Type.Enum(["active", "inactive", "archived"]),
    created_at: Type.String({ format: "date-time" }),
    expires_at: nullable(Type.String({ format: "date-time" })),
    created_by: nullable(Type.Object({ id: Type.String(), type: Type.Literal("user") })),
    scopes: Type.Array(Type.String()),
  },
  { $id: "Key", description: "A secret that programs sign their requests with." },
);

const Block = Type.Union(
  [
    Type.Object({ type: Type.Literal("text"), text: Type.String({ minLength: 1 }) }),
    Type.Object({
      type: Type.Literal("image"),
      source: Type.Object({
        url: Type.String(),
        size: Type.Tuple([Type.Integer(), Type.Integer()]),
      }),
    }),
  ],
  { $id: "Block" },
);

const Folder = Type.Cyclic(
  { Folder: Type.Object({ name: Type.String(), parent: Type.Optional(Type.Ref("Folder")) }) },
  "Folder",
);

export const sampleKeys = ["a", "b", "c", "d", "e"].map((name) => ({
  id: `apikey_${name}`,
  type: "api_key" as const,
  name,
  status: "active" as const,
  created_at: "2026-01-01T00:00:00Z",
  expires_at: null,
  created_by: null,
  scopes: [],
}));

const listKeys = route({
  operation: "console.keys.list",
  method: "GET",
  path: "/console/api/keys",
  summary: "Lists the keys of the organization.",
  permission: "keys:read",
  credentials: ["console"],
  query: closed({
    ...cursorQuery,
    status: Type.Optional(Type.Array(Type.Enum(["active", "inactive"]), { description: "Any of." })),
  }),
  reply: cursorPage(Key),
  handle: (_, { query }) => {
    const from = Number(query.page ?? 0);
    const next = from + (query.limit ?? 2);
    const data = sampleKeys.slice(from, next);
    return { data, next_page: next < sampleKeys.length ? String(next) : null };
  },
});

const createKey = route({
  operation: "console.keys.create",
  method: "POST",
  path: "/console/api/keys",
  summary: "Makes a key and shows its secret, this once.",
  permission: "keys:write",
  credentials: ["console"],
  body: closed({
    name: Type.String({ minLength: 1, maxLength: 500, description: "What people call it." }),
    kind: Type.Optional(Type.Enum(["api", "admin"], { default: "api" })),
    expires_at: Type.Optional(nullable(Type.String({ format: "date-time" }))),
    labels: Type.Optional(Type.Record(Type.String(), Type.String())),
  }),
  reply: Type.Intersect([Key, Type.Object({ secret: Type.String() })]),
  handle: (_, { body }) => {
    if (body.name === "taken")
      throw conflict("There is a key taken already.", { code: "name_taken", details: { n: 1 } });
    return { ...sampleKeys[0]!, name: body.name, secret: "plinth-secret" };
  },
});

const listPublic = route({
  operation: "organizations.api_keys.list",
  method: "GET",
  path: "/v1/organizations/api_keys",
  summary: "Lists the keys of the organization.",
  permission: "keys:read",
  credentials: ["admin_key", "oauth_token"],
  query: closed({
    ...idQuery,
    created_at: Type.Optional(closed({ gte: Type.Optional(Type.String()) })),
    exact: Type.Optional(Type.Boolean()),
  }),
  reply: idPage(Key),
  handle: (_, { query }) => {
    const at = sampleKeys.findIndex((key) => key.id === query.after_id) + 1;
    const data = sampleKeys.slice(at, at + 2);
    const ends = { first_id: data[0]?.id ?? null, last_id: data.at(-1)?.id ?? null };
    return { data, has_more: at + 2 < sampleKeys.length, ...ends };
  },
});

const readPublic = route({
  operation: "organizations.api_keys.retrieve",
  method: "GET",
  path: "/v1/organizations/api_keys/{api_key_id}",
  summary: "Reads one key.",
  permission: "keys:read",
  organizations: ["platform", "enterprise"],
  params: closed({ api_key_id: Type.String({ description: "The id of the key." }) }),
  reply: Key,
  handle: (_, { params }) => {
    const found = sampleKeys.find((key) => key.id === params.api_key_id);
    if (found === undefined) throw notFound("key", params.api_key_id);
    return found;
  },
});

const createMessage = route({
  operation: "messages.create",
  method: "POST",
  path: "/v1/messages",
  summary: "Asks a model for the next message.",
  permission: "messages:write",
  beta: { name: "sample-2026-07-22", gate: "always", excludes: "other-" },
  bodyBytesMax: 32 * 1024 * 1024,
  body: closed({
    model: Type.String(),
    max_tokens: Type.Integer({ minimum: 1, maximum: 100_000 }),
    messages: Type.Array(
      closed({
        role: Type.Enum(["user", "assistant"]),
        content: Type.Union([Type.String(), Type.Array(Block)]),
      }),
      { minItems: 1 },
    ),
    folder: Type.Optional(Folder),
    stream: Type.Optional(Type.Boolean({ description: "Events instead of one reply." })),
  }),
  reply: Type.Object({ id: Type.String(), content: Type.Array(Block) }),
  handle: (_, { body }) =>
    body.stream === true
      ? events([{ type: "message_start" }, { type: "text", text: "zwölf" }])
      : { id: "msg_1", content: [{ type: "text" as const, text: body.model }] },
});

const events = (all: { type: string; text?: string }[], end = "") =>
  written(async (response, headers) => {
    response.writeHead(200, { ...headers, "content-type": "text/event-stream" });
    const frames = all.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`);
    response.end(`: hello\n\nevent: ping\ndata: {}\n\n${frames.join("")}${end}`);
  });

const failingEvents = route({
  operation: "sessions.events.stream",
  method: "GET",
  path: "/v1/sessions/{session_id}/events/stream",
  summary: "Follows a session.",
  permission: "sessions:read",
  beta: { name: "sample-2026-07-22", gate: "2023-06-01" },
  reply: "events",
  handle: () => {
    const error = { type: "overloaded_error", message: "Too busy." };
    const data = JSON.stringify({ type: "error", error, request_id: "req_1" });
    return events([{ type: "status" }], `event: error\ndata: ${data}\n\n`);
  },
});

const upload = route({
  operation: "files.upload",
  method: "POST",
  path: "/v1/files",
  summary: "Stores a file.",
  permission: "files:write",
  body: multipart({
    fileBytesMax: 1024,
    filesMax: 1,
    fieldBytesMax: 100,
    fields: ["expires_in_seconds"],
  }),
  reply: Type.Object({ id: Type.String(), bytes: Type.Integer() }),
  handle: () => ({ id: "file_1", bytes: 0 }),
});

const write = route({
  operation: "files.replace",
  method: "PUT",
  path: "/v1/files/{file_id}/content",
  summary: "Replaces the bytes of a file.",
  permission: "files:write",
  body: "stream",
  reply: Type.Object({ bytes: Type.Integer() }),
  handle: async (_, { body }) => {
    let bytes = 0;
    for await (const chunk of body as AsyncIterable<Buffer>) bytes += chunk.length;
    return { bytes };
  },
});

const importKeys = route({
  operation: "console.keys.import",
  method: "POST",
  path: "/console/api/keys/import",
  summary: "Takes in a long list of keys as it comes.",
  permission: "keys:write",
  body: streamedJson(closed({ names: Type.Array(Type.String()) })),
  reply: Type.Object({ text: Type.String() }),
  handle: async (_, { body }) => ({ text: (await buffer(body)).toString() }),
});

const download = route({
  operation: "files.download",
  method: "GET",
  path: "/v1/files/{file_id}/content",
  summary: "Sends the bytes of a file.",
  permission: "files:read",
  reply: "bytes",
  handle: () => stream(Readable.from([Buffer.from([1, 2]), Buffer.from([3])]), "image/png"),
});

const remove = route({
  operation: "files.delete",
  method: "DELETE",
  path: "/v1/files/{file_id}",
  summary: "Deletes a file.",
  permission: "files:write",
  reply: "none",
  handle: () => noContent(),
});

const metrics = openRoute({
  operation: "operations.metrics",
  method: "GET",
  path: "/metrics",
  summary: "Counters for Prometheus.",
  reply: "text",
  handle: () => text("up 1\n"),
});

const signIn = openRoute({
  operation: "pages.sign_in",
  method: "GET",
  path: "/sign-in",
  summary: "The page to sign in on.",
  reply: "page",
  handle: () => page("<!doctype html>"),
});

export const sampleRoutes: readonly Route[] = [
  listKeys,
  createKey,
  listPublic,
  readPublic,
  createMessage,
  failingEvents,
  upload,
  write,
  importKeys,
  download,
  remove,
  metrics,
  signIn,
];
