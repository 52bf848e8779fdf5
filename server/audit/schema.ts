// Shapes of the audit log.
import Type, { type Static } from "typebox";
import { closed } from "../../kernel/http/route.ts";
import { cursorPage, cursorQuery } from "../../kernel/http/pages.ts";

export const AuditQuery = closed({
  ...cursorQuery,
  action: Type.Optional(Type.String({ minLength: 1, maxLength: 100 })),
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
  },
  { $id: "AuditEvent" },
);

export const AuditPage = cursorPage(AuditEvent);
export type AuditEvent = Static<typeof AuditEvent>;
export type AuditQuery = Static<typeof AuditQuery>;
