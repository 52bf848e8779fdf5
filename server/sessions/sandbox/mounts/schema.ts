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
    text: Type.String(),
    created_at: Time,
  },
  { $id: "SessionMountNote" },
);
export type MountNote = Static<typeof MountNote>;
/** The newest ones: older ones are not kept. */
export const MountNotes = Type.Object({ data: Type.Array(MountNote) });
