// What the settings file says of the request log.
import { Type, type Static } from "typebox";
import type { World } from "../../kernel/context.ts";
import { defineSection } from "../../kernel/settings/define.ts";
import { limits } from "./limits.ts";

const RequestsSection = Type.Object(
  { kept_days: Type.Optional(Type.Integer({ minimum: 1, maximum: limits.keptDaysMax })) },
  { additionalProperties: false },
);
type RequestsSection = Static<typeof RequestsSection>;

export const requestsSection = defineSection({
  name: "requests",
  describe: "How many days the log of requests is kept, today among them.",
  schema: RequestsSection,
  fallback: {},
});

export const keptDays = ({ sections }: Pick<World, "sections">): number =>
  ((sections?.["requests"] ?? {}) as RequestsSection).kept_days ?? limits.keptDaysDefault;
