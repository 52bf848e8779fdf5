// What the settings file says of files.
import { Type, type Static } from "typebox";
import type { World } from "../../kernel/context.ts";
import { defineSection } from "../../kernel/settings/define.ts";
import { limits } from "./limits.ts";

const FilesSection = Type.Object(
  {
    /** Of all files of one organization together, each counted with its size. */
    organization_bytes_max: Type.Optional(
      Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER }),
    ),
    organization_files_max: Type.Optional(Type.Integer({ minimum: 0, maximum: 1_000_000_000 })),
  },
  { additionalProperties: false },
);
type FilesSection = Static<typeof FilesSection>;

export const filesSection = defineSection({
  name: "files",
  describe: "How much one organization may store in files.",
  schema: FilesSection,
  fallback: {},
});

export interface Quota {
  bytesMax: number;
  filesMax: number;
}

export function quotaOf({ sections }: Pick<World, "sections">): Quota {
  const section = (sections?.["files"] ?? {}) as FilesSection;
  return {
    bytesMax: section.organization_bytes_max ?? limits.organizationBytesMax,
    filesMax: section.organization_files_max ?? limits.organizationFilesMax,
  };
}
