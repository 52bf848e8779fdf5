// What the settings file says of sessions: what their time costs.
import { Type, type Static } from "typebox";
import type { World } from "../../../kernel/context.ts";
import { defineSection } from "../../../kernel/settings/define.ts";
import { limits } from "../limits.ts";

const SessionsSection = Type.Object(
  {
    /** In dollars, for an hour in which a session runs. */
    hour_price: Type.Optional(Type.Number({ minimum: 0, maximum: limits.hourPriceMax })),
  },
  { additionalProperties: false },
);
type SessionsSection = Static<typeof SessionsSection>;

export const sessionsSection = defineSection({
  name: "sessions",
  describe: "What the time costs in which sessions of agents run.",
  schema: SessionsSection,
  fallback: {},
});

const nanoPerDollar = 1_000_000_000;

/** Whole nano-dollars for an hour. */
export function hourNanoOf({ sections }: Pick<World, "sections">): number {
  const { hour_price: dollars = 0 } = (sections?.["sessions"] ?? {}) as SessionsSection;
  return Math.round(dollars * nanoPerDollar);
}
