// Shapes of what operators look at.
import Type from "typebox";

export const Health = Type.Object({ status: Type.Literal("ok") });
export const Readiness = Type.Object({
  status: Type.Literal("ready"),
  /** Where the settings have one: how the export of the audit log goes, which keeps no request waiting. */
  audit_export: Type.Optional(Type.Enum(["ok", "behind", "failing"])),
});

const ServerFacts = Type.Object({
  version: Type.String(),
  node: Type.String(),
  database: Type.Object({ kind: Type.Enum(["embedded", "external"]), version: Type.String() }),
  started_at: Type.String({ format: "date-time" }),
  workers: Type.Integer(),
  public_url: Type.String(),
});

export const Overview = Type.Object({
  keys: Type.Object({ active: Type.Integer(), used_last_day: Type.Integer() }),
  members: Type.Integer(),
  workspaces: Type.Integer(),
  requests: Type.Object({
    last_hour: Type.Integer(),
    errors_last_hour: Type.Integer(),
    /** Oldest first, one number a minute. */
    by_minute: Type.Array(Type.Integer()),
  }),
  server: ServerFacts,
});
