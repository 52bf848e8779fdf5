// The limits of messages: what may be configured, and the numbers behind the leasing.
import { Type, type Static } from "typebox";
import { defineSection } from "../../kernel/settings/define.ts";

export const rateTypes = ["requests", "input_tokens", "output_tokens"] as const;
export type RateType = (typeof rateTypes)[number];

export const perMinuteMax = 1_000_000_000_000;
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

/** Far above what one database serves: a limit is something that an administrator sets. */
export const defaultRates: Readonly<Record<RateType, number>> = {
  requests: 1_000_000,
  input_tokens: 10_000_000_000,
  output_tokens: 1_000_000_000,
};

export const limits = {
  /** A slice of a rate that is not renewed is worth nothing after this, by the database's clock. */
  sliceMs: 5_000,
  /** This much earlier its holder stops to use it. */
  sliceMarginMs: 1_000,
  /** A slice is this part of what is left, so that slices shrink to single requests near the limit. */
  slicePart: 8,
  /** More is fetched when less than this part of the last slice is left. */
  refillPart: 4,
  /** Limits that were set are known everywhere after this. */
  policyFreshMs: 1_000,
  /** Older ones are not trusted: without the database nothing is admitted. */
  policyTrustMs: 10_000,
  /** How often a request that finds the money handed out asks the other processes to give back, and waits. */
  spendAsksMax: 3,
  spendAskPauseMs: 40,
  /** A limit that is reached is not asked for again before this. */
  reachedMs: 500,
  /** Scopes that are remembered; past it they are all forgotten, which costs one question each. */
  scopesMax: 50_000,
  /** Of one page of limits. */
  listItemsMax: 1_000,
  /** Members that a question may name. */
  userIdsMax: 100,
  reasonCharactersMax: 500,
  /** Of what a member asked for lately. */
  ownRequestsMax: 20,
} as const;
