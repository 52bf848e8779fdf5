// Shapes of refused connections in the console.
import Type from "typebox";
import { refusalReasons } from "../../sandboxes/module.ts";
import { Time } from "../shapes.ts";

export const RefusedConnection = Type.Object(
  {
    type: Type.Literal("refused_connection"),
    /** As the sandbox named it; `*` are those for which no row was left. */
    host: Type.String(),
    /** 0 where it is not known. */
    port: Type.Integer(),
    reason: Type.Enum([...refusalReasons]),
    count: Type.Integer(),
    first_at: Time,
    last_at: Time,
  },
  { $id: "RefusedConnection" },
);
export const RefusedConnections = Type.Object({ data: Type.Array(RefusedConnection) });
