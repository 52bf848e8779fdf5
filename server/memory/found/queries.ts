// Memory stores, memories and their versions as they are found.
import { sql } from "../../../kernel/sql/statement.ts";
import type { Searchable } from "../../../kernel/http/searchable.ts";

export const searchables: readonly Searchable[] = [
  {
    type: "memory_store",
    idPrefix: "memstore_",
    permission: "memory:use",
    operation: "memory_stores.retrieve",
    within: "workspaces",
    isNamed: true,
    page: ({ id }) => `/memory/${id}`,
    rows: () => sql`
      select id, name as name, workspace_id, null::text as part_of, null::text as detail,
        workspace_id as place, name as words
      from memory_stores
      where is_complete`,
  },
  {
    type: "memory",
    idPrefix: "mem_",
    permission: "memory:use",
    operation: "memory_stores.memories.retrieve",
    within: "workspaces",
    isNamed: true,
    page: ({ id, part_of: of }) => `/memory/${of}?memory=${id}`,
    // Of each memory its store is looked up: a join might read all of them.
    rows: () => sql`
      select memory.id, memory.path as name, memory.workspace_id, memory.store_id as part_of,
        store.name as detail, memory.workspace_id as place, memory.path as words
      from memories as memory cross join lateral (
        select name from memory_stores
        where memory_stores.id = memory.store_id and is_complete offset 0) as store`,
  },
  {
    type: "memory_version",
    idPrefix: "memver_",
    permission: "memory:use",
    operation: "memory_stores.memory_versions.retrieve",
    within: "workspaces",
    page: ({ id, part_of: of }) => `/memory/${of}/history/${id}`,
    rows: () => sql`
      select version.id, version.path as name, store.workspace_id, version.store_id as part_of,
        store.name as detail, store.workspace_id as place, null::text as words
      from memory_versions as version join memory_stores as store on store.id = version.store_id
      where store.is_complete`,
  },
];
