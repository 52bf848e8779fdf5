// Shapes of the search for objects.
import Type, { type Static } from "typebox";
import { closed } from "../../kernel/http/route.ts";
import { cursorPage, cursorQuery } from "../../kernel/http/pages.ts";
import { limits } from "./limits.ts";

export const ObjectQuery = closed({
  ...cursorQuery,
  /** An id, whole, or words of a name: of each its beginning is enough. */
  query: Type.String({ minLength: 1, maxLength: limits.queryCharactersMax }),
});

const NullableString = Type.Union([Type.String(), Type.Null()]);

export const FoundObject = Type.Object(
  {
    /** Of the object that was found: `api_key`, `session` and so on. */
    type: Type.String(),
    id: Type.String(),
    name: NullableString,
    /** What tells it from others of its name: the e-mail of a person, the store of a memory. */
    detail: NullableString,
    workspace_id: NullableString,
    /** Where it stands in the console. */
    console_url: Type.String(),
  },
  { $id: "FoundObject" },
);

export const ObjectPage = cursorPage(FoundObject);

export type ObjectQuery = Static<typeof ObjectQuery>;
export type FoundObject = Static<typeof FoundObject>;
