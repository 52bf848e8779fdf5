// What the settings file says of memory stores.
import { Type, type Static } from "typebox";
import type { World } from "../../kernel/context.ts";
import { defineSection } from "../../kernel/settings/define.ts";
import { limits } from "./limits.ts";

const MemorySection = Type.Object(
  {
    workspace_stores_max: Type.Optional(Type.Integer({ minimum: 0, maximum: 10_000_000 })),
    /** Of the text of all versions that are kept. */
    workspace_bytes_max: Type.Optional(
      Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER }),
    ),
  },
  { additionalProperties: false },
);
export type MemorySection = Static<typeof MemorySection>;

export const memorySection = defineSection({
  name: "memory",
  describe: "How many memory stores a workspace may have, and how many bytes in them.",
  schema: MemorySection,
  fallback: {},
});

export interface Quotas {
  storesMax: number;
  bytesMax: number;
}

export function quotasOf({ sections }: Pick<World, "sections">): Quotas {
  const section = (sections?.["memory"] ?? {}) as MemorySection;
  return {
    storesMax: section.workspace_stores_max ?? limits.workspaceStoresMax,
    bytesMax: section.workspace_bytes_max ?? limits.workspaceBytesMax,
  };
}
