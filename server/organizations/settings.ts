// What the settings file says of the administration over the API.
import { Type, type Static } from "typebox";
import type { World } from "../../kernel/context.ts";
import { defineSection } from "../../kernel/settings/define.ts";
import { limits } from "./limits.ts";

const AdministrationSection = Type.Object(
  {
    /** For one organization, over all routes of administration but the creation of invites. */
    requests_per_minute: Type.Optional(
      Type.Integer({ minimum: 1, maximum: limits.budgetRequestsMax }),
    ),
    /** For keys that may administer nothing, in each process. */
    refused_per_minute: Type.Optional(
      Type.Integer({ minimum: 1, maximum: limits.budgetRequestsMax }),
    ),
    invites_per_hour: Type.Optional(
      Type.Integer({ minimum: 1, maximum: limits.budgetRequestsMax }),
    ),
  },
  { additionalProperties: false },
);
type AdministrationSection = Static<typeof AdministrationSection>;

export const administrationSection = defineSection({
  name: "administration",
  describe: "How many requests of administration an organization may make over the API.",
  schema: AdministrationSection,
  fallback: {},
});

/** How many requests are allowed in any span of this length. */
export interface RequestBudget {
  name: "requests" | "refused" | "invites";
  requestsMax: number;
  windowMs: number;
  /** Words for the sentence that refuses. */
  words: string;
}

export function requestBudgetsOf({ sections }: Pick<World, "sections">) {
  const section = (sections?.["administration"] ?? {}) as AdministrationSection;
  const requestsMax = section.requests_per_minute ?? limits.requestsPerMinute;
  const refusedMax = section.refused_per_minute ?? limits.refusedPerMinute;
  const invitesMax = section.invites_per_hour ?? limits.invitesPerHour;
  const requests: RequestBudget = {
    name: "requests",
    requestsMax,
    windowMs: 60_000,
    words: `${requestsMax} administration requests a minute`,
  };
  const refused: RequestBudget = {
    name: "refused",
    requestsMax: refusedMax,
    windowMs: 60_000,
    words: `${refusedMax} requests a minute of keys that may administer nothing`,
  };
  const invites: RequestBudget = {
    name: "invites",
    requestsMax: invitesMax,
    windowMs: 3_600_000,
    words: `${invitesMax} new invites an hour`,
  };
  return { requests, refused, invites };
}
