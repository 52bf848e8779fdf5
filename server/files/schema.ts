// Shapes of files.
import Type, { type Static } from "typebox";
import { cursorQuery, idQuery } from "../../kernel/http/pages.ts";
import { closed } from "../../kernel/http/route.ts";

const NullableText = Type.Union([Type.String(), Type.Null()]);

export const FileMetadata = Type.Object(
  {
    id: Type.String(),
    type: Type.Literal("file"),
    filename: Type.String(),
    mime_type: Type.String(),
    size_bytes: Type.Integer(),
    created_at: Type.String({ format: "date-time" }),
    /** Only what a tool made; what was uploaded is not. */
    downloadable: Type.Boolean(),
    expires_at: Type.Union([Type.String({ format: "date-time" }), Type.Null()]),
    /** Where a tool made it. */
    scope: Type.Union([
      Type.Object({ type: Type.Literal("session"), id: Type.String() }),
      Type.Null(),
    ]),
  },
  { $id: "FileMetadata" },
);
export type FileMetadata = Static<typeof FileMetadata>;

export const FileParams = closed({ file_id: Type.String({ minLength: 1, maxLength: 100 }) });

export const FileQuery = closed({
  ...idQuery,
  ...cursorQuery,
  ids: Type.Optional(
    Type.Array(Type.String({ maxLength: 200 }), {
      description: "Only these, up to 100; instead of limit, page, after_id and before_id.",
    }),
  ),
  scope_id: Type.Optional(
    Type.String({ minLength: 1, maxLength: 200, description: "Only files of this session." }),
  ),
});
export type FileQuery = Static<typeof FileQuery>;

/** For both ways in which clients have walked this list. */
export const FilePage = Type.Object({
  data: Type.Array(FileMetadata),
  next_page: NullableText,
  has_more: Type.Boolean(),
  first_id: NullableText,
  last_id: NullableText,
});

export const DeletedFile = Type.Object(
  { id: Type.String(), type: Type.Literal("file_deleted") },
  { $id: "DeletedFile" },
);
