// Shapes of what is exported and imported.
import Type, { type Static } from "typebox";
import { closed } from "../../../kernel/http/route.ts";
import { limits } from "../limits.ts";
import { CreateStore, MemoryStore, MemoryVersion } from "../schema.ts";

const { description, metadata } = CreateStore.properties;

/** Each wins over what the archive says. */
export const ImportQuery = closed({
  name: Type.Optional(Type.String({ minLength: 1 })),
  description: Type.Optional(Type.String({ maxLength: limits.storeDescriptionCharactersMax })),
});
export type ImportQuery = Static<typeof ImportQuery>;

export const ImportedStore = Type.Object(
  {
    ...MemoryStore.properties,
    imported: Type.Object({
      memories: Type.Integer(),
      versions: Type.Integer(),
      /** Entries that were passed over: what operating systems hide beside files, and what is no part of an export. */
      skipped: Type.Array(Type.String()),
    }),
  },
  { $id: "ImportedMemoryStore" },
);
export type ImportedStore = Static<typeof ImportedStore>;

export const manifestType = "memory_store_export";
export const formatNumber = 1;

/** `store.json`: its other fields are there for people. */
export const Manifest = Type.Object({
  type: Type.Literal(manifestType),
  format: Type.Literal(formatNumber),
  name: Type.Optional(Type.String({ minLength: 1 })),
  description,
  metadata,
});
export type Manifest = Static<typeof Manifest>;

/** `history/00000001.json`: a version as the API shows it, with its text. */
export const VersionRecord = closed({
  ...MemoryVersion.properties,
  /** Of a memory that lived when it was exported. */
  memory_created_at: Type.Union([Type.String({ format: "date-time" }), Type.Null()]),
});
export type VersionRecord = Static<typeof VersionRecord>;
