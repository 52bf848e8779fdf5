// What may be configured of the limits of messages.
import { Type, type Static } from "typebox";
import { defineSection } from "../../kernel/settings/define.ts";
import { perMinuteMax } from "./limits.ts";

export const rateTypes = ["requests", "input_tokens", "output_tokens"] as const;
export type RateType = (typeof rateTypes)[number];

const perMinute = Type.Integer({ minimum: 0, maximum: perMinuteMax });
const Rates = Type.Object(
  { requests: perMinute, input_tokens: perMinute, output_tokens: perMinute },
  { additionalProperties: false },
);

export const LimitsSection = Type.Object(
  {
    /** For each organization and group of models. */
    organization: Type.Optional(Type.Partial(Rates)),
    /** For each workspace and group of models; without one, only the organization's hold. */
    workspace: Type.Optional(Type.Partial(Rates)),
    /** Whether platform organizations see, or also set, their spend limits over the API; the console always does. */
    spend_limits_api: Type.Optional(Type.Enum(["off", "read", "write"])),
  },
  { additionalProperties: false },
);
export type LimitsSection = Static<typeof LimitsSection>;

export const limitsSection = defineSection({
  name: "limits",
  describe:
    "Requests, input tokens and output tokens per minute, for each organization or workspace and group of models.",
  schema: LimitsSection,
  fallback: {},
});
