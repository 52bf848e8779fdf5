// What the settings file says of environments.
import { Type, type Static } from "typebox";
import type { World } from "../../kernel/context.ts";
import { worded } from "../../kernel/base/patterns.ts";
import { defineSection } from "../../kernel/settings/define.ts";

const EnvironmentsSection = Type.Object(
  {
    /** On the machines of workers: below it each session has a directory for its memory stores. */
    self_hosted_mount_root: Type.Optional(
      Type.String({
        ...worded(
          "^(/[A-Za-z0-9._-]*[A-Za-z0-9_-])+$",
          "must be an absolute path of letters, digits, `.`, `_` and `-`",
        ),
        maxLength: 512,
      }),
    ),
  },
  { additionalProperties: false },
);
type EnvironmentsSection = Static<typeof EnvironmentsSection>;

export const environmentsSection = defineSection({
  name: "environments",
  describe: "Where workers of self-hosted environments have the memory stores of sessions.",
  schema: EnvironmentsSection,
  fallback: {},
});

export function mountRootOf({ sections }: Pick<World, "sections">): string {
  const section = (sections?.["environments"] ?? {}) as EnvironmentsSection;
  return section.self_hosted_mount_root ?? "/mnt/memory";
}
