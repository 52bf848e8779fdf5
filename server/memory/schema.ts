// Shapes of memory stores.
import Type, { type Static, type TSchema } from "typebox";
import { limits as baseLimits } from "../../kernel/base/limits.ts";
import { cursorPage, cursorQuery } from "../../kernel/http/pages.ts";
import { refusedWhenEmpty } from "../../kernel/http/input/query.ts";
import { closed } from "../../kernel/http/route.ts";
import { worded } from "../../kernel/base/patterns.ts";
import { limits } from "./limits.ts";

const nullable = <T extends TSchema>(schema: T) => Type.Union([schema, Type.Null()]);
const optional = Type.Optional;
const Time = Type.String({ format: "date-time" });
const Id = Type.String({ minLength: 1, maxLength: 100 });
const sha256 = worded("^[0-9a-f]{64}$", "must be a SHA-256 as 64 small hexadecimal digits");
const Sha256 = Type.String(sha256);

/** Both bounds belong to it. */
const TimeRange = optional(closed({ gte: optional(Time), lte: optional(Time) }));
const View = optional(Type.Enum(["basic", "full"]));
export type View = "basic" | "full";

const MetadataValue = Type.String({ maxLength: baseLimits.metadataValueCharactersMax });
const metadataOf = <T extends TSchema>(value: T) => Type.Record(Type.String(), value);

const Name = Type.String({ minLength: 1 });
const Description = Type.String({ maxLength: limits.storeDescriptionCharactersMax });

export const MemoryStore = Type.Object(
  {
    id: Type.String(),
    type: Type.Literal("memory_store"),
    name: Type.String(),
    description: Type.String(),
    metadata: Type.Record(Type.String(), Type.String()),
    created_at: Time,
    updated_at: Time,
    archived_at: nullable(Time),
    /** How many memories live in it, and the bytes of all versions that are kept. */
    memory_count: Type.Integer(),
    size_bytes: Type.Integer(),
  },
  { $id: "MemoryStore" },
);
export type MemoryStore = Static<typeof MemoryStore>;
export const MemoryStorePage = cursorPage(MemoryStore);

export const CreateStore = closed({
  name: Name,
  description: optional(nullable(Description)),
  metadata: optional(nullable(metadataOf(MetadataValue))),
});
export type CreateStore = Static<typeof CreateStore>;

/** A key of the metadata that is null goes; one that is not named stays. */
export const UpdateStore = closed({
  name: optional(nullable(Name)),
  description: optional(nullable(Description)),
  metadata: optional(nullable(metadataOf(nullable(MetadataValue)))),
});
export type UpdateStore = Static<typeof UpdateStore>;

export const StoreQuery = closed({
  ...cursorQuery,
  include_archived: optional(Type.Boolean()),
  created_at: TimeRange,
});
export type StoreQuery = Static<typeof StoreQuery>;

export const StoreParams = closed({ memory_store_id: Id });
export const DeletedStore = Type.Object(
  { id: Type.String(), type: Type.Literal("memory_store_deleted") },
  { $id: "DeletedMemoryStore" },
);

export const Memory = Type.Object(
  {
    id: Type.String(),
    type: Type.Literal("memory"),
    memory_store_id: Type.String(),
    memory_version_id: Type.String(),
    path: Type.String(),
    /** Null where the view is `basic`. */
    content: nullable(Type.String()),
    content_sha256: Type.String(),
    content_size_bytes: Type.Integer(),
    created_at: Time,
    updated_at: Time,
  },
  { $id: "Memory" },
);
export type Memory = Static<typeof Memory>;

/** All memories below a path, as one item of a list. */
export const MemoryPrefix = Type.Object(
  { type: Type.Literal("memory_prefix"), path: Type.String() },
  { $id: "MemoryPrefix" },
);
export const MemoryPage = cursorPage(Type.Union([Memory, MemoryPrefix]));
export type MemoryItem = Memory | Static<typeof MemoryPrefix>;

export const CreateMemory = closed({
  path: Type.String(),
  /** Null is as good as an empty text. */
  content: nullable(Type.String()),
});
export type CreateMemory = Static<typeof CreateMemory>;

export const UpdateMemory = closed({
  content: optional(nullable(Type.String())),
  path: optional(nullable(Type.String())),
  precondition: optional(
    nullable(closed({ type: Type.Literal("content_sha256"), content_sha256: Sha256 })),
  ),
  /** The same precondition in its short form. */
  content_sha256: optional(nullable(Sha256)),
});
export type UpdateMemory = Static<typeof UpdateMemory>;

export const MemoryParams = closed({ memory_store_id: Id, memory_id: Id });
export const ViewQuery = closed({ view: View });
export type ViewQuery = Static<typeof ViewQuery>;
export const MemoryQuery = closed({
  ...cursorQuery,
  /** The one memory that lies there. */
  path: optional(Type.String()),
  path_prefix: optional(Type.String()),
  depth: optional(Type.Integer({ minimum: 0, maximum: 1 })),
  view: View,
});
export type MemoryQuery = Static<typeof MemoryQuery>;
export const DeleteQuery = closed({
  expected_content_sha256: optional(Type.String({ ...sha256, ...refusedWhenEmpty })),
});
export const DeletedMemory = Type.Object(
  { id: Type.String(), type: Type.Literal("memory_deleted") },
  { $id: "DeletedMemory" },
);

const Actor = nullable(
  Type.Union([
    Type.Object({ type: Type.Literal("api_actor"), api_key_id: Type.String() }),
    Type.Object({ type: Type.Literal("user_actor"), user_id: Type.String() }),
    Type.Object({ type: Type.Literal("session_actor"), session_id: Type.String() }),
    Type.Object({
      type: Type.Literal("service_account_actor"),
      service_account_id: Type.String(),
    }),
  ]),
);
export type Actor = Static<typeof Actor>;

export const operations = ["created", "modified", "deleted"] as const;
export type Operation = (typeof operations)[number];

export const MemoryVersion = Type.Object(
  {
    id: Type.String(),
    type: Type.Literal("memory_version"),
    memory_store_id: Type.String(),
    memory_id: Type.String(),
    operation: Type.Enum(operations),
    /** Null where it is redacted; the three after it also where the memory was deleted. */
    path: nullable(Type.String()),
    content: nullable(Type.String()),
    content_sha256: nullable(Type.String()),
    content_size_bytes: nullable(Type.Integer()),
    created_at: Time,
    created_by: Actor,
    redacted_at: nullable(Time),
    redacted_by: Actor,
    redaction_reason: nullable(Type.String()),
    /** Set where it came with an import: then time and author above are what the file said. */
    imported_at: nullable(Time),
    imported_by: Actor,
  },
  { $id: "MemoryVersion" },
);
export type MemoryVersion = Static<typeof MemoryVersion>;
export const MemoryVersionPage = cursorPage(MemoryVersion);

export const VersionParams = closed({ memory_store_id: Id, memory_version_id: Id });
export const VersionQuery = closed({
  ...cursorQuery,
  memory_id: optional(Id),
  operation: optional(Type.Enum(operations)),
  api_key_id: optional(Id),
  session_id: optional(Id),
  service_account_id: optional(Id),
  user_id: optional(Id),
  created_at: TimeRange,
  view: View,
});
export type VersionQuery = Static<typeof VersionQuery>;

export const RedactVersion = closed({
  /** Why: it stays with the version, so it should not repeat what is redacted. */
  reason: optional(nullable(Type.String({ maxLength: limits.reasonCharactersMax }))),
});
export type RedactVersion = Static<typeof RedactVersion>;

/** Of the console: what people look for. */
export const SearchQuery = closed({
  ...cursorQuery,
  q: Type.String({ minLength: 1, maxLength: limits.searchCharactersMax }),
  memory_store_id: optional(Id),
});
export type SearchQuery = Static<typeof SearchQuery>;

export const MemoryMatch = Type.Object(
  {
    type: Type.Literal("memory_match"),
    memory_id: Type.String(),
    memory_store_id: Type.String(),
    store_name: Type.String(),
    path: Type.String(),
    /** The text around what matches, in pieces. */
    snippet: Type.Array(Type.Object({ text: Type.String(), is_match: Type.Boolean() })),
    updated_at: Time,
  },
  { $id: "MemoryMatch" },
);
export const MemoryMatchPage = cursorPage(MemoryMatch);
