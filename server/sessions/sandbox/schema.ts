// Shapes of the files that a session has in its sandbox, and of what this machine says of sandboxes.
import Type, { type Static } from "typebox";
import { closed } from "../../../kernel/http/route.ts";
import { worded } from "../../../kernel/base/patterns.ts";
import { guaranteeNames } from "../../sandboxes/module.ts";
import { Id, optional, Time } from "../shapes.ts";
import { limits } from "../limits.ts";

const Path = Type.String({
  maxLength: limits.mountPathCharactersMax,
  ...worded("^/", "must begin with /"),
});

export const FilesParams = closed({ session_id: Id });
export const DirectoryQuery = closed({ path: optional(Path) });
export const FileQuery = closed({ path: Path });

export const WorkspaceEntry = Type.Object({
  name: Type.String(),
  type: Type.Enum(["file", "directory", "link", "other"]),
  /** What a link leads to. */
  target: optional(Type.Enum(["file", "directory", "other", "missing"])),
  size_bytes: Type.Integer(),
  modified_at: Time,
});
export type WorkspaceEntry = Static<typeof WorkspaceEntry>;

export const WorkspaceDirectory = Type.Object(
  {
    path: Type.String(),
    /** By name. */
    entries: Type.Array(WorkspaceEntry),
    /** There are more than can be shown. */
    is_truncated: Type.Boolean(),
  },
  { $id: "WorkspaceDirectory" },
);
export type WorkspaceDirectory = Static<typeof WorkspaceDirectory>;

export const SandboxFacts = Type.Object(
  {
    provider: Type.String(),
    can_be_made: Type.Boolean(),
    reason: Type.String(),
    mend: optional(Type.String()),
    /** The most that a sandbox may use here. */
    limits: Type.Object({
      processes_max: Type.Integer(),
      memory_mib: Type.Number(),
      cpus: Type.Number(),
      workspace_mib: Type.Number(),
      tmp_mib: Type.Number(),
    }),
    guarantees: Type.Array(
      Type.Object({
        name: Type.Enum(guaranteeNames),
        level: Type.Enum(["enforced", "best_effort", "none"]),
        reason: Type.String(),
        mend: optional(Type.String()),
      }),
    ),
  },
  { $id: "SandboxFacts" },
);
export type SandboxFacts = Static<typeof SandboxFacts>;
