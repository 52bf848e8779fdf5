// Shapes of what agents were told of their mounts.
import Type, { type Static } from "typebox";
import { noteKinds } from "../../../mounts/module.ts";
import { nullable, Time } from "../../shapes.ts";

const MountNote = Type.Object(
  {
    id: Type.String(),
    kind: Type.Enum(noteKinds),
    /** Of which memory store; null where it is of a file or a skill. */
    memory_store_id: nullable(Type.String()),
    /** Of which repository that could not be cloned. */
    resource_id: nullable(Type.String()),
    text: Type.String(),
    created_at: Time,
  },
  { $id: "SessionMountNote" },
);
export type MountNote = Static<typeof MountNote>;

const MountedRepository = Type.Object(
  {
    /** Of the resource. */
    id: Type.String(),
    state: Type.Enum(["waiting", "cloned", "failed"]),
    /** Why it could not be cloned when that was tried last. */
    message: nullable(Type.String()),
    tried_at: nullable(Time),
  },
  { $id: "SessionMountedRepository" },
);
export type MountedRepository = Static<typeof MountedRepository>;

/** The newest notes: older ones are not kept. Repositories are those of a session in a cloud environment. */
export const MountNotes = Type.Object({
  data: Type.Array(MountNote),
  repositories: Type.Array(MountedRepository),
});
export type MountNotes = Static<typeof MountNotes>;
