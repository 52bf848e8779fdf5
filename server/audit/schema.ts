// Shapes of the audit log.
import Type, { type Static } from "typebox";
import { closed } from "../../kernel/http/route.ts";
import { cursorPage, cursorQuery } from "../../kernel/http/pages.ts";
import { limits } from "./limits.ts";

const Filter = Type.Optional(Type.String({ minLength: 1, maxLength: limits.filterCharactersMax }));

const filters = {
  /** An action, or its beginning: `key.` matches everything that was done to keys. */
  action: Filter,
  actor_id: Filter,
  target_id: Filter,
  address: Filter,
  /** From this moment on, and until before the second one. */
  from: Type.Optional(Type.String({ format: "date-time" })),
  to: Type.Optional(Type.String({ format: "date-time" })),
  /** Words, matched against all fields and the values in the details. */
  q: Filter,
};

export const AuditQuery = closed({ ...cursorQuery, ...filters });
export const AuditEventsQuery = closed({
  ...cursorQuery,
  ...filters,
  /** Instead of filters: what was appended behind this number of the chain, in its order; 0 for all of it. */
  after_sequence: Type.Optional(Type.Integer({ minimum: 0 })),
});
export const AuditExportQuery = closed({
  format: Type.Union([Type.Literal("jsonl"), Type.Literal("csv")]),
  ...filters,
});

const NullableString = Type.Union([Type.String(), Type.Null()]);

export const AuditEvent = Type.Object(
  {
    id: Type.String(),
    type: Type.Literal("audit_event"),
    at: Type.String({ format: "date-time" }),
    action: Type.String(),
    actor: Type.Object({ type: Type.String(), id: NullableString, name: NullableString }),
    target: Type.Union([Type.Object({ type: Type.String(), id: Type.String() }), Type.Null()]),
    address: Type.String(),
    request_id: NullableString,
    details: Type.Record(Type.String(), Type.Unknown()),
    /** The event's number in the organization's chain, and the hash of its fields and of the event before. */
    sequence: Type.Integer(),
    hash: Type.String(),
  },
  { $id: "AuditEvent" },
);

export const AuditPage = cursorPage(AuditEvent);
export const AuditActions = Type.Object({ data: Type.Array(Type.String()) });

const NullableTime = Type.Union([Type.String({ format: "date-time" }), Type.Null()]);

export const AuditChain = Type.Object(
  {
    type: Type.Literal("audit_chain"),
    events: Type.Integer(),
    /** Rows older than the chain that have not joined it yet. */
    unsealed: Type.Integer(),
    /** Up to where the whole chain was verified, and when. */
    verified_events: Type.Integer(),
    verified_at: NullableTime,
    anchored_events: Type.Integer(),
    anchored_at: NullableTime,
    problem: NullableString,
    found_at: NullableTime,
  },
  { $id: "AuditChain" },
);

export type AuditEvent = Static<typeof AuditEvent>;
export type AuditQuery = Static<typeof AuditQuery>;
export type AuditEventsQuery = Static<typeof AuditEventsQuery>;
export type AuditExportQuery = Static<typeof AuditExportQuery>;
export type AuditChain = Static<typeof AuditChain>;
