// Shapes of the layers of packages in the console.
import Type, { type Static } from "typebox";
import { nullable, Time } from "../shapes.ts";
import { managerNames } from "./managers.ts";

export const PackageLayer = Type.Object(
  {
    type: Type.Literal("package_layer"),
    /** The machine that has it. */
    host_id: Type.String(),
    state: Type.Enum(["waiting", "building", "built", "failed"]),
    /** The package manager at work, or that failed. */
    manager: nullable(Type.Enum(managerNames)),
    /** Its last line while it works; why it failed, with what it said last. */
    words: nullable(Type.String()),
    /** On the disk. */
    bytes: Type.Integer(),
    began_at: nullable(Time),
    ended_at: nullable(Time),
    used_at: Time,
  },
  { $id: "PackageLayer" },
);
export type PackageLayer = Static<typeof PackageLayer>;
/** Empty where nothing is named, and where no session has needed it yet. */
export const PackageLayers = Type.Object({ data: Type.Array(PackageLayer) });
