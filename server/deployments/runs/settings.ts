// What the settings file says of deployments.
import { Type, type Static } from "typebox";
import type { World } from "../../../kernel/context.ts";
import { defineSection } from "../../../kernel/settings/define.ts";
import { limits } from "../limits.ts";

const DeploymentsSection = Type.Object(
  {
    /** The latest occurrence that was missed runs late if it is no older than this. */
    catch_up_minutes: Type.Optional(Type.Integer({ minimum: 1, maximum: 7 * 24 * 60 })),
  },
  { additionalProperties: false },
);
type DeploymentsSection = Static<typeof DeploymentsSection>;

export const deploymentsSection = defineSection({
  name: "deployments",
  describe: "How late a scheduled run may begin after the server was away.",
  schema: DeploymentsSection,
  fallback: {},
});

const minuteMs = 60_000;

export function catchUpMsOf({ sections }: Pick<World, "sections">): number {
  const section = (sections?.["deployments"] ?? {}) as DeploymentsSection;
  return (section.catch_up_minutes ?? limits.catchUpMinutes) * minuteMs;
}
