// What this server lets be read: memories, transcripts of sessions, files.
import { ProtocolError, ProtocolErrorCode, type Resource } from "@modelcontextprotocol/server";
import type { ReadResourceResult, ResourceTemplateType } from "@modelcontextprotocol/server";
import { parseExactly } from "../../../kernel/base/exact-json.ts";
import { isFailure } from "../../../kernel/base/failure.ts";
import { redactKeys } from "../../../kernel/base/redact-keys.ts";
import { pageResource, pageUri, readPage } from "../app/page.ts";
import type { Api } from "../caller.ts";
import { limits } from "../limits.ts";
import { isPassing, protocolErrorOf } from "../tasks.ts";
import { expectMemory, type Memory } from "../tools/memory.ts";
import type { Page } from "../tools/tool.ts";
import { contentOf, fileOf, type FileMetadata } from "./contents.ts";
import { transcriptOf, type SessionInfo } from "./transcript.ts";
import { namedBy, templates, uriOf, type Named } from "./uris.ts";

const markdown = "text/markdown";
const types: Readonly<Record<string, string>> = {
  csv: "text/csv",
  html: "text/html",
  json: "application/json",
  txt: "text/plain",
  xml: "application/xml",
  yaml: "application/yaml",
  yml: "application/yaml",
};

/** Agents write Markdown where they say nothing else. */
const typeOfPath = (path: string) => types[/\.(\w+)$/.exec(path)?.[1]?.toLowerCase() ?? ""];

export const resourceTemplates: ResourceTemplateType[] = [
  {
    uriTemplate: templates.memory,
    name: "memory",
    title: "Memory",
    description: "The text of a memory. Its path begins with a slash.",
  },
  {
    uriTemplate: templates.transcript,
    name: "transcript",
    title: "Transcript of a session",
    description: "What was said and done in a session, the newest of it where it is long.",
    mimeType: markdown,
  },
  {
    uriTemplate: templates.file,
    name: "file",
    title: "File",
    description: `A file of the workspace, of up to ${limits.fileReadBytesMax / 1024 ** 2} MB.`,
  },
];

/** Rule MCE14: what is not there, and what is another workspace's, is the same error in each revision. */
export async function readResource(api: Api, uri: string): Promise<ReadResourceResult> {
  if (uri === pageUri) return readPage();
  const named = namedBy(uri);
  if (named === undefined) throw missing(uri, `There is no resource ${uri.slice(0, 300)}.`);
  try {
    return { contents: [await read(api, uri, named)] };
  } catch (error) {
    if (!isFailure(error)) throw error;
    throw isPassing(error) ? protocolErrorOf(error) : missing(uri, redactKeys(error.message));
  }
}

const missing = (uri: string, message: string) =>
  new ProtocolError(ProtocolErrorCode.InvalidParams, message, { uri });

async function read(api: Api, uri: string, named: Named) {
  if (named.kind === "memory") {
    const { path, content, content_sha256, updated_at } = await expectMemory(api, named);
    const _meta = { content_sha256, updated_at };
    return { uri, mimeType: typeOfPath(path) ?? markdown, text: content ?? "", _meta };
  }
  if (named.kind === "transcript")
    return { uri, mimeType: markdown, text: await transcriptOf(api, named.session_id) };
  const file = await fileOf(api, named.file_id);
  const { bytes, text } = await contentOf(api, file);
  const _meta = { filename: file.filename, size_bytes: file.size_bytes };
  const mimeType = file.mime_type;
  if (text !== undefined) return { uri, mimeType, text, _meta };
  return { uri, mimeType, blob: bytes.toString("base64"), _meta };
}

/** Where a list goes on: stores, and in the first of them memories. */
interface Position {
  stores: string | null;
  memories: string | null;
}

/** Rule MCE15: first the newest files and sessions, then the memories of each store, one store after the other. */
export async function listResources(api: Api, cursor: string | undefined) {
  if (cursor === undefined) {
    const recent = [...(await recentFiles(api)), ...(await recentSessions(api))];
    return {
      resources: [pageResource, ...recent],
      nextCursor: written({ stores: null, memories: null }),
    };
  }
  let from: Position | undefined = readCursor(cursor);
  const resources: Resource[] = [];
  for (let looked = 0; from !== undefined && looked < limits.storesPerPage; looked++) {
    const found: StorePage = await memoriesOf(api, from, cursor);
    resources.push(...found.resources);
    from = found.next;
    if (resources.length > 0) break;
  }
  return { resources, ...(from !== undefined && { nextCursor: written(from) }) };
}

interface StorePage {
  resources: Resource[];
  next: Position | undefined;
}

async function memoriesOf(api: Api, from: Position, cursor: string): Promise<StorePage> {
  const stores = await allowed(
    api("memory_stores.list", { query: { limit: 1, ...pageOf(from.stores) } }),
    cursor,
  );
  const [store] = stores.data as { id: string; name: string }[];
  if (store === undefined) return { resources: [], next: undefined };
  const memories = await allowed(
    api("memory_stores.memories.list", {
      params: { memory_store_id: store.id },
      query: { limit: limits.resourcesPerPage, ...pageOf(from.memories) },
    }),
    cursor,
  );
  const resources = (memories.data as Memory[]).flatMap((memory) => resourceOf(store, memory));
  const after =
    stores.next_page === null ? undefined : { stores: stores.next_page, memories: null };
  const next = memories.next_page === null ? after : { ...from, memories: memories.next_page };
  return { resources, next };
}

const pageOf = (page: string | null) => (page === null ? {} : { page });

/** A list holds more than memories where it is told by folder. */
function resourceOf(
  store: { id: string; name: string },
  { type, path, content_size_bytes, updated_at }: Memory,
): Resource[] {
  if ((type as string) !== "memory") return [];
  return [
    {
      uri: uriOf({ kind: "memory", memory_store_id: store.id, path }),
      name: path,
      title: `${store.name}: ${path}`,
      mimeType: typeOfPath(path) ?? markdown,
      size: content_size_bytes,
      annotations: { lastModified: updated_at },
    },
  ];
}

async function recentFiles(api: Api): Promise<Resource[]> {
  const { data } = await allowed(api("files.list", { query: { limit: limits.recentMax } }));
  return (data as FileMetadata[]).map((file) => ({
    uri: uriOf({ kind: "file", file_id: file.id }),
    name: file.filename,
    mimeType: file.mime_type,
    size: file.size_bytes,
    annotations: { lastModified: file.created_at },
  }));
}

async function recentSessions(api: Api): Promise<Resource[]> {
  const { data } = await allowed(api("sessions.list", { query: { limit: limits.recentMax } }));
  return (data as SessionInfo[]).map(({ id, title, agent, updated_at }) => ({
    uri: uriOf({ kind: "transcript", session_id: id }),
    name: id,
    title: `${title ?? "Session"} (${agent.name})`,
    mimeType: markdown,
    annotations: { lastModified: updated_at },
  }));
}

/** What the credential may not see is not in the list. */
async function allowed(asked: Promise<unknown>, cursor?: string): Promise<Page<unknown>> {
  try {
    return (await asked) as Page<unknown>;
  } catch (error) {
    if (!isFailure(error)) throw error;
    if (error.type === "permission_error" || error.type === "not_found_error")
      return { data: [], next_page: null };
    if (cursor !== undefined && error.type === "invalid_request_error") throw noCursor();
    throw error;
  }
}

const written = (position: Position) => Buffer.from(JSON.stringify(position)).toString("base64url");

function readCursor(cursor: string): Position {
  try {
    const { stores, memories } = parseExactly(
      Buffer.from(cursor, "base64url").toString(),
    ) as Position;
    const isPage = (page: unknown) => page === null || typeof page === "string";
    if (isPage(stores) && isPage(memories)) return { stores, memories };
  } catch {
    throw noCursor();
  }
  throw noCursor();
}

export const noCursor = () =>
  new ProtocolError(
    ProtocolErrorCode.InvalidParams,
    "cursor: is none of this list. Begin without one, and send the nextCursor of the answer before.",
  );
