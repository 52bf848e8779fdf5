// Shapes of refused connections in the console.
import Type from "typebox";
import { closed } from "../../../kernel/http/route.ts";
import { refusalReasons } from "../../sandboxes/module.ts";

const Time = Type.String({ format: "date-time" });

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

const Id = Type.String({ minLength: 1, maxLength: 100 });
export const OfSession = closed({ session_id: Id });
export const OfEnvironment = closed({ environment_id: Id });
