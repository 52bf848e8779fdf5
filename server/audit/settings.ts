// What the settings file says of the audit log.
import { Type, type Static } from "typebox";
import type { World } from "../../kernel/context.ts";
import { defineSection } from "../../kernel/settings/define.ts";
import { limits } from "./limits.ts";

const AuditSection = Type.Object(
  { noted_every_seconds: Type.Optional(Type.Integer({ minimum: 5, maximum: 86_400 })) },
  { additionalProperties: false },
);
type AuditSection = Static<typeof AuditSection>;

export const auditSection = defineSection({
  name: "audit",
  describe: "How often uses of credentials and denied attempts are written to the audit log.",
  schema: AuditSection,
  fallback: {},
});

export function notedEveryMs({ sections }: Pick<World, "sections">): number {
  const { noted_every_seconds } = (sections?.["audit"] ?? {}) as AuditSection;
  return noted_every_seconds === undefined ? limits.notedEveryMs : noted_every_seconds * 1000;
}
