// Tools for memory stores: by the path of a memory, as models know it.
import Type, { type Static } from "typebox";
import { notFound } from "../../../kernel/base/failure.ts";
import { closed } from "../../../kernel/http/route.ts";
import type { Api } from "../caller.ts";
import { worded } from "../../../kernel/base/patterns.ts";
import {
  listed,
  PageInput,
  pageQuery,
  paging,
  type Call,
  type Page,
  type PlinthTool,
} from "./tool.ts";

const optional = Type.Optional;
const Store = Type.String({
  minLength: 1,
  maxLength: 100,
  description: "The store's id, memstore_…",
});
const Path = Type.String({
  minLength: 1,
  maxLength: 1_024,
  description: "The memory's path in its store, which begins with a slash.",
});
const Sha256 = Type.String({
  ...worded("^[0-9a-f]{64}$", "must be a SHA-256 as 64 small hexadecimal digits"),
  description:
    "What read_memory said of the content: the call is refused where it has changed since.",
});
export interface Memory {
  type: "memory";
  id: string;
  path: string;
  content: string | null;
  content_sha256: string;
  content_size_bytes: number;
  updated_at: string;
}

const MemoriesInput = closed({
  memory_store_id: Store,
  path_prefix: optional(
    Type.String({ maxLength: 1_024, description: "Only those below this path." }),
  ),
  ...paging,
});
const MemoryInput = closed({ memory_store_id: Store, path: Path });
const WriteInput = closed({
  memory_store_id: Store,
  path: Path,
  content: Type.String({ description: "All of the text, at most 100 kB." }),
  content_sha256: optional(Sha256),
});
const DeleteInput = closed({
  memory_store_id: Store,
  path: Path,
  content_sha256: optional(Sha256),
});
const SearchInput = closed({
  query: Type.String({ minLength: 1, maxLength: 200, description: "Words to look for." }),
  memory_store_id: optional(Store),
  ...paging,
});

/** Undefined where the store has none there. */
async function memoryAt(api: Api, { memory_store_id, path }: Static<typeof MemoryInput>) {
  const params = { memory_store_id };
  const query = { path, view: "full" };
  const { data } = (await api("memory_stores.memories.list", { params, query })) as Page<Memory>;
  return data[0];
}

export async function expectMemory(api: Api, at: Static<typeof MemoryInput>): Promise<Memory> {
  const memory = await memoryAt(api, at);
  if (memory === undefined) throw notFound("memory at", at.path);
  return memory;
}

const written = ({ path, content_sha256, content_size_bytes }: Memory, what: string) => ({
  text: `${what} ${path} (${content_size_bytes} bytes). content_sha256: ${content_sha256}`,
  fields: { path, content_sha256, content_size_bytes },
});

async function writeMemory({ api }: Call, input: Static<typeof WriteInput>) {
  const { memory_store_id, path, content, content_sha256 } = input;
  const known = await memoryAt(api, input);
  if (known === undefined && content_sha256 !== undefined) throw notFound("memory at", path);
  if (known === undefined) {
    const body = { path, content };
    const made = await api("memory_stores.memories.create", { params: { memory_store_id }, body });
    return written(made as Memory, "Created");
  }
  const params = { memory_store_id, memory_id: known.id };
  const body = { content, ...(content_sha256 !== undefined && { content_sha256 }) };
  return written(
    (await api("memory_stores.memories.update", { params, body })) as Memory,
    "Updated",
  );
}

export const memoryTools: readonly PlinthTool[] = [
  {
    name: "list_memory_stores",
    title: "List memory stores",
    description: "The memory stores of the workspace: ids, names and what they are for.",
    input: PageInput,
    isReading: true,
    call: async ({ api }, input: Static<typeof PageInput>) =>
      listed((await api("memory_stores.list", { query: pageQuery(input) })) as Page<unknown>),
  },
  {
    name: "list_memories",
    title: "List memories",
    description: "The paths of the memories in a store, without their texts.",
    input: MemoriesInput,
    isReading: true,
    call: async (
      { api },
      { memory_store_id, path_prefix, ...page }: Static<typeof MemoriesInput>,
    ) => {
      const query = { ...pageQuery(page), ...(path_prefix !== undefined && { path_prefix }) };
      const params = { memory_store_id };
      return listed((await api("memory_stores.memories.list", { params, query })) as Page<unknown>);
    },
  },
  {
    name: "read_memory",
    title: "Read a memory",
    description:
      "The text of a memory, and its content_sha256, which write_memory and delete_memory take.",
    input: MemoryInput,
    isReading: true,
    call: async ({ api }, input: Static<typeof MemoryInput>) => {
      const { path, content, content_sha256, updated_at } = await expectMemory(api, input);
      const text = content ?? "";
      return { text, fields: { path, content: text, content_sha256, updated_at } };
    },
  },
  {
    name: "write_memory",
    title: "Write a memory",
    description:
      "Writes the whole text of a memory, which is made where there is none. Name content_sha256 to change only what was read.",
    input: WriteInput,
    isDestructive: true,
    call: writeMemory,
  },
  {
    name: "delete_memory",
    title: "Delete a memory",
    description: "Deletes a memory. Its versions stay in the store for a while.",
    input: DeleteInput,
    isDestructive: true,
    call: async ({ api }, { content_sha256, ...at }: Static<typeof DeleteInput>) => {
      const { id, path } = await expectMemory(api, at);
      const params = { memory_store_id: at.memory_store_id, memory_id: id };
      const query = content_sha256 === undefined ? {} : { expected_content_sha256: content_sha256 };
      await api("memory_stores.memories.delete", { params, query });
      return { text: `Deleted ${path}.`, fields: { path } };
    },
  },
  {
    name: "search_memories",
    title: "Search memories",
    description: "Memories that hold the words, with the text around them, in one store or in all.",
    input: SearchInput,
    isReading: true,
    call: async ({ api }, { query: q, memory_store_id, ...page }: Static<typeof SearchInput>) => {
      const query = {
        q,
        ...pageQuery(page),
        ...(memory_store_id !== undefined && { memory_store_id }),
      };
      return listed((await api("console.memory.search", { query })) as Page<unknown>);
    },
  },
];
