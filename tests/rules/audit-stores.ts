// The changes of memory stores and files that leave an event each.
import type { House, Tenant } from "../house.ts";
import type { AuditedChange } from "./audit-house.ts";
import { filesOf } from "./files-house.ts";
import { memoryOf } from "./memory-house.ts";
import { tarOf, transfersOf } from "./memory-transfer-house.ts";
import { until } from "./support.ts";

/** The house is there when they are made ready. */
export function storeChanges(houseOf: () => House): Record<string, AuditedChange> {
  const memory = memoryOf(houseOf);
  const storesOf = async ({ api_key: key }: Tenant) => {
    const { body } = await memory.call("GET", "?include_archived=true", { key });
    return body.data as unknown[];
  };
  const filesFor = async (tenant: Tenant) => {
    const { body } = await filesOf(houseOf()).call("GET", "", tenant.api_key);
    // Jobs of the house write files as well: what this upload leaves half written would never go.
    const blobs = await until(async () => {
      const names = filesOf(houseOf()).blobs();
      return !names.some((name) => name.startsWith("unfinished/")) && names;
    }, "the end of what is being written");
    return [body, await filesOf(houseOf()).stored(tenant), blobs];
  };

  return {
    "memory_stores.create": {
      action: "memory_store.created",
      prepare: async ({ api_key: key }) => {
        return () => memory.call("POST", "", { key, body: { name: "notes" } });
      },
      state: storesOf,
    },
    "memory_stores.import": {
      action: "memory_store.imported",
      prepare: async (tenant) => {
        const tar = await tarOf([{ name: "a.md", content: "one" }]);
        return () => transfersOf(houseOf(), tenant).import(tar);
      },
      state: storesOf,
    },
    "memory_stores.update": {
      action: "memory_store.updated",
      prepare: async ({ api_key: key }) => {
        const { id } = await memory.store({ key });
        return () => memory.call("POST", `/${id}`, { key, body: { name: "more notes" } });
      },
      state: storesOf,
    },
    "memory_stores.archive": {
      action: "memory_store.archived",
      prepare: async ({ api_key: key }) => {
        const { id } = await memory.store({ key });
        return () => memory.call("POST", `/${id}/archive`, { key });
      },
      state: storesOf,
    },
    "memory_stores.delete": {
      action: "memory_store.deleted",
      prepare: async ({ api_key: key }) => {
        const { id } = await memory.store({ key });
        return () => memory.call("DELETE", `/${id}`, { key });
      },
      state: storesOf,
    },
    "memory_stores.memory_versions.redact": {
      action: "memory_version.redacted",
      prepare: async ({ api_key: key }) => {
        const { id } = await memory.store({ key });
        const { id: one, memory_version_id: first } = await memory.create(id, "/a", "one", { key });
        await memory.update(id, one, { content: "two" }, { key });
        return () => memory.call("POST", `/${id}/memory_versions/${first}/redact`, { key });
      },
      state: async ({ api_key: key }) => {
        const [store] = (await storesOf({ api_key: key } as Tenant)) as { id: string }[];
        const path = `/${store?.id}/memory_versions?view=full`;
        return (await memory.call("GET", path, { key })).body.data;
      },
    },
    "files.upload": {
      action: "file.uploaded",
      prepare: async ({ api_key: key }) => {
        return () => filesOf(houseOf()).tryUpload({ content: "new", key });
      },
      state: filesFor,
    },
    "files.delete": {
      action: "file.deleted",
      prepare: async ({ api_key: key }) => {
        const { id } = await filesOf(houseOf()).upload({ key });
        return () => filesOf(houseOf()).remove(id, key);
      },
      state: filesFor,
    },
  };
}
