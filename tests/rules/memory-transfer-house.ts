// What the tests of export and import share: a workspace's stores over HTTP, and tars made by hand.
import { Readable } from "node:stream";
import { buffer } from "node:stream/consumers";
import { gunzipSync } from "node:zlib";
import { extract, pack } from "tar-stream";
import type { Answer, House, Tenant } from "../house.ts";

// Replies of every shape: what the tests claim about them is what they check.
// oxlint-disable-next-line typescript/no-explicit-any
type Reply = any;

export interface Exported {
  /** Entries in their order. */
  files: Map<string, string>;
  headers: Headers;
  bytes: Buffer;
}

interface ImportOptions {
  query?: string;
  type?: string;
  signal?: AbortSignal;
}

const beta = { "vendor-beta": "agent-memory-2026-07-22" };

export function transfersOf(
  house: Pick<House, "ask" | "url">,
  { api_key: key }: Pick<Tenant, "api_key">,
) {
  const ask = (method: string, path: string, body?: unknown): Promise<Answer> =>
    house.ask(method, `/v1/memory_stores${path}`, { key, headers: beta, body });
  const good = async (method: string, path: string, body?: unknown): Promise<Reply> => {
    const answer = await ask(method, path, body);
    if (answer.status !== 200) throw new Error(`${method} ${path}: ${JSON.stringify(answer.body)}`);
    return answer.body;
  };
  const all = async (path: string): Promise<Reply[]> => {
    const found: Reply[] = [];
    for (let page = ""; ;) {
      const { data, next_page } = await good("GET", `${path}?view=full&limit=20${page}`);
      found.push(...data);
      if (next_page === null) return found;
      page = `&page=${encodeURIComponent(next_page)}`;
    }
  };
  const open = (id: string) =>
    fetch(`${house.url}/v1/memory_stores/${id}/export`, { headers: { ...beta, "x-api-key": key } });
  return {
    ask,
    good,
    open,
    make: (facts: object = {}) => good("POST", "", { name: "Notes", ...facts }),
    memories: (id: string) => all(`/${id}/memories`),
    /** Oldest first. */
    versions: async (id: string) => (await all(`/${id}/memory_versions`)).toReversed(),
    write: (id: string, path: string, content: string) =>
      good("POST", `/${id}/memories`, { path, content }),
    export: async (id: string): Promise<Exported> => {
      const response = await open(id);
      const bytes = Buffer.from(await response.arrayBuffer());
      return { files: await unpack(bytes), headers: response.headers, bytes };
    },
    import: async (
      body: Buffer | ReadableStream<Uint8Array>,
      { query = "", type = "application/x-tar", signal }: ImportOptions = {},
    ): Promise<Answer> => {
      const response = await fetch(`${house.url}/v1/memory_stores/import${query}`, {
        method: "POST",
        headers: { ...beta, "x-api-key": key, "content-type": type },
        body: body instanceof Buffer ? new Uint8Array(body) : body,
        ...(signal && { signal }),
        ...(body instanceof ReadableStream && { duplex: "half" }),
      });
      const { status, headers } = response;
      return { status, headers, body: await response.json() };
    },
  };
}

export interface Entry {
  name: string;
  content?: string | Buffer;
  type?: "file" | "symlink" | "link" | "directory" | "fifo" | "character-device";
  linkname?: string;
}

export async function tarOf(entries: readonly Entry[]): Promise<Buffer> {
  const archive = pack();
  for (const { content = "", ...header } of entries) archive.entry(header, content as string);
  archive.finalize();
  return buffer(Readable.from(archive as AsyncIterable<Buffer>));
}

export const entriesOf = (files: ReadonlyMap<string, string>): Entry[] =>
  [...files].map(([name, content]) => ({ name, content }));

export async function unpack(bytes: Buffer): Promise<Map<string, string>> {
  const archive = extract();
  archive.end(bytes[0] === 0x1f ? gunzipSync(bytes) : bytes);
  const files = new Map<string, string>();
  for await (const source of archive) {
    const content = Buffer.concat(await Array.fromAsync(source as AsyncIterable<Buffer>));
    files.set(source.header.name, content.toString("utf8"));
  }
  return files;
}

/** A version without what an import makes anew; memories are named by the order in which they come. */
export function comparable(versions: readonly Reply[]): Reply[] {
  const names = new Map<string, number>();
  const fresh = ["id", "memory_store_id", "imported_at", "imported_by"];
  return versions.map((version) => {
    const { memory_id } = version;
    if (!names.has(memory_id)) names.set(memory_id, names.size);
    const kept = Object.entries(version).filter(([field]) => !fresh.includes(field));
    return { ...Object.fromEntries(kept), memory_id: names.get(memory_id) };
  });
}
