// Shapes of what agents were told of their mounts.
import Type, { type Static } from "typebox";
import { nullable, Time } from "../../shapes.ts";

export const noteKinds = ["conflict", "refused", "file", "output", "sandbox"] as const;
export type NoteKind = (typeof noteKinds)[number];

export interface Note {
  kind: NoteKind;
  storeId: string | null;
  text: string;
}

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
