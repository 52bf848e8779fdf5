// What an update may hold because a read showed it, and only the server says.
import Type, { type Static } from "typebox";
import { invalid } from "../../base/failure.ts";

const Time = Type.String({ format: "date-time" });

export const toldFields = <const T extends string>(type: T) => ({
  id: Type.Optional(Type.String()),
  type: Type.Optional(Type.Literal(type)),
  created_at: Type.Optional(Time),
  updated_at: Type.Optional(Time),
  archived_at: Type.Optional(Type.Union([Time, Type.Null()])),
});

const Told = Type.Object(toldFields<string>(""));
type Told = Static<typeof Told>;

/** The rest of the body of an update. What cannot have been read of what is open is a mistake, and not ignored. */
export function withoutTold<Body extends Told>(id: string, body: Body): Omit<Body, keyof Told> {
  const { id: named, type, created_at: _, updated_at: __, archived_at: archived, ...rest } = body;
  if (named !== undefined && named !== id)
    throw invalid(
      `id: is ${JSON.stringify(named.slice(0, 120))}, and ${id} is being updated; leave it out to change ${id} with the rest.`,
    );
  if (archived != null)
    throw invalid(
      `archived_at: is not set by an update; archive the ${type ?? "object"} with POST …/${id}/archive.`,
    );
  return rest;
}
