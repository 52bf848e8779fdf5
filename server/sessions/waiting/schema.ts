// Shapes of sessions that wait for people.
import Type, { type Static } from "typebox";
import { cursorPage, cursorQuery } from "../../../kernel/http/pages.ts";
import { closed } from "../../../kernel/http/route.ts";
import { SessionEvent } from "../events/schema.ts";
import { nullable, Time } from "../shapes.ts";

const WaitingCall = Type.Object({
  event: SessionEvent,
  /** A word whether it may run, or the result of a tool that a client has. */
  needs: Type.Enum(["confirmation", "answer"]),
});

export const WaitingSession = Type.Object(
  {
    id: Type.String(),
    title: nullable(Type.String()),
    agent_name: Type.String(),
    updated_at: Time,
    /** The first of them; the session has them all. */
    calls: Type.Array(WaitingCall),
    has_more_calls: Type.Boolean(),
  },
  { $id: "WaitingSession" },
);
export type WaitingSession = Static<typeof WaitingSession>;
export const WaitingPage = cursorPage(WaitingSession);

export const WaitingQuery = closed(cursorQuery);
export type WaitingQuery = Static<typeof WaitingQuery>;
