// Routes of memory stores.
import { route, type BetaRule } from "../../kernel/http/route.ts";
import * as memories from "./memories/service.ts";
import * as schema from "./schema.ts";
import { searchMemories } from "./search/service.ts";
import * as stores from "./stores/service.ts";
import { exportStore } from "./transfer/export.ts";
import { importStore } from "./import/import.ts";
import { transferLimits } from "./transfer/limits.ts";
import { ImportedStore, ImportQuery } from "./transfer/schema.ts";
import * as versions from "./versions.ts";

const permission = "memory:use";
/** One of the two: beside each other they are refused. */
const beta: BetaRule = {
  name: "agent-memory-2026-07-22",
  gate: "always",
  or: "managed-agents-2026-04-01",
  excludes: "managed-agents-",
};
const ofStores = { permission, beta } as const;
const ofStoresAndWorkers = { ...ofStores, alsoCredentials: ["session_token"] } as const;
const store = "/v1/memory_stores/{memory_store_id}";

export const routes = [
  route({
    operation: "memory_stores.create",
    method: "POST",
    path: "/v1/memory_stores",
    summary: "Makes a memory store.",
    ...ofStores,
    body: schema.CreateStore,
    reply: schema.MemoryStore,
    handle: (context, { body }) => stores.createStore(context, body),
  }),
  route({
    operation: "memory_stores.list",
    method: "GET",
    path: "/v1/memory_stores",
    summary: "Lists the workspace's memory stores, newest first.",
    ...ofStores,
    query: schema.StoreQuery,
    reply: schema.MemoryStorePage,
    handle: (context, { query }) => stores.listStores(context, query),
  }),
  route({
    operation: "memory_stores.retrieve",
    method: "GET",
    path: store,
    summary: "One memory store.",
    ...ofStores,
    params: schema.StoreParams,
    reply: schema.MemoryStore,
    handle: (context, { params }) => stores.retrieveStore(context, params.memory_store_id),
  }),
  route({
    operation: "memory_stores.update",
    method: "POST",
    path: store,
    summary: "Changes name, description or metadata of a memory store.",
    ...ofStores,
    params: schema.StoreParams,
    body: schema.UpdateStore,
    reply: schema.MemoryStore,
    handle: (context, { params, body }) =>
      stores.updateStore(context, params.memory_store_id, body),
  }),
  route({
    operation: "memory_stores.archive",
    method: "POST",
    path: `${store}/archive`,
    summary: "Closes a memory store for ever: it can be read, redacted and deleted.",
    ...ofStores,
    params: schema.StoreParams,
    reply: schema.MemoryStore,
    handle: (context, { params }) => stores.archiveStore(context, params.memory_store_id),
  }),
  route({
    operation: "memory_stores.delete",
    method: "DELETE",
    path: store,
    summary: "Deletes a memory store with its memories and all their versions.",
    ...ofStores,
    params: schema.StoreParams,
    reply: schema.DeletedStore,
    handle: (context, { params }) => stores.deleteStore(context, params.memory_store_id),
  }),
  route({
    operation: "memory_stores.export",
    method: "GET",
    path: `${store}/export`,
    summary: "A tar of a memory store: its history, and its memories as plain files.",
    ...ofStores,
    params: schema.StoreParams,
    reply: "bytes",
    handle: (context, { params }) => exportStore(context, params.memory_store_id),
  }),
  route({
    operation: "memory_stores.import",
    method: "POST",
    path: "/v1/memory_stores/import",
    summary: "Makes a memory store of a tar: of an export with its history, else of its files.",
    ...ofStores,
    query: ImportQuery,
    body: "stream",
    bodyBytesMax: transferLimits.importBytesMax,
    reply: ImportedStore,
    handle: (context, { query, body }) => importStore(context, query, body),
  }),
  route({
    operation: "memory_stores.memories.create",
    method: "POST",
    path: `${store}/memories`,
    summary: "Writes a text to a path that is free.",
    ...ofStoresAndWorkers,
    params: schema.StoreParams,
    query: schema.ViewQuery,
    body: schema.CreateMemory,
    errors: [409],
    reply: schema.Memory,
    handle: (context, { params, query, body }) =>
      memories.createMemory(context, params.memory_store_id, body, query),
  }),
  route({
    operation: "memory_stores.memories.list",
    method: "GET",
    path: `${store}/memories`,
    summary: "Lists memories by path; with depth 1, what lies deeper is rolled up by folder.",
    ...ofStoresAndWorkers,
    params: schema.StoreParams,
    query: schema.MemoryQuery,
    reply: schema.MemoryPage,
    handle: (context, { params, query }) =>
      memories.listMemories(context, params.memory_store_id, query),
  }),
  route({
    operation: "memory_stores.memories.retrieve",
    method: "GET",
    path: `${store}/memories/{memory_id}`,
    summary: "One memory, with its text.",
    ...ofStoresAndWorkers,
    params: schema.MemoryParams,
    query: schema.ViewQuery,
    reply: schema.Memory,
    handle: (context, { params, query }) => memories.retrieveMemory(context, params, query),
  }),
  route({
    operation: "memory_stores.memories.update",
    method: "POST",
    path: `${store}/memories/{memory_id}`,
    summary: "Changes a memory's text, its path, or both.",
    ...ofStoresAndWorkers,
    params: schema.MemoryParams,
    query: schema.ViewQuery,
    body: schema.UpdateMemory,
    errors: [409],
    reply: schema.Memory,
    handle: (context, { params, query, body }) =>
      memories.updateMemory(context, params, body, query),
  }),
  route({
    operation: "memory_stores.memories.delete",
    method: "DELETE",
    path: `${store}/memories/{memory_id}`,
    summary: "Deletes a memory; its versions stay.",
    ...ofStoresAndWorkers,
    params: schema.MemoryParams,
    query: schema.DeleteQuery,
    errors: [409],
    reply: schema.DeletedMemory,
    handle: (context, { params, query }) =>
      memories.deleteMemory(context, params, query.expected_content_sha256),
  }),
  route({
    operation: "memory_stores.memory_versions.list",
    method: "GET",
    path: `${store}/memory_versions`,
    summary: "Lists versions, newest first: of the store, or of one memory.",
    ...ofStores,
    params: schema.StoreParams,
    query: schema.VersionQuery,
    reply: schema.MemoryVersionPage,
    handle: (context, { params, query }) =>
      versions.listVersions(context, params.memory_store_id, query),
  }),
  route({
    operation: "memory_stores.memory_versions.retrieve",
    method: "GET",
    path: `${store}/memory_versions/{memory_version_id}`,
    summary: "One version, with its text.",
    ...ofStores,
    params: schema.VersionParams,
    query: schema.ViewQuery,
    reply: schema.MemoryVersion,
    handle: (context, { params, query }) => versions.retrieveVersion(context, params, query),
  }),
  route({
    operation: "memory_stores.memory_versions.redact",
    method: "POST",
    path: `${store}/memory_versions/{memory_version_id}/redact`,
    summary: "Scrubs text, path and hash of a version; who wrote it and when stays.",
    ...ofStores,
    params: schema.VersionParams,
    body: schema.RedactVersion,
    reply: schema.MemoryVersion,
    handle: (context, { params, body }) => versions.redactVersion(context, params, body),
  }),
  route({
    operation: "console.memory.search",
    method: "GET",
    path: "/console/api/memory/search",
    summary: "Full-text search over the live memories of a workspace.",
    permission,
    credentials: ["console"],
    query: schema.SearchQuery,
    reply: schema.MemoryMatchPage,
    handle: (context, { query }) => searchMemories(context, query),
  }),
];
