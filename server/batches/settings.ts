// What the settings file says of batches.
import { Type, type Static } from "typebox";
import { defineSection } from "../../kernel/settings/define.ts";
import { workLimits } from "./work/limits.ts";

const atOnce = Type.Integer({ minimum: 1, maximum: 1_000 });

const BatchesSection = Type.Object(
  {
    /** Of each upstream, from one process; fewer while it says that it is too much. */
    requests_at_once: Type.Optional(atOnce),
    /** The same for upstreams by name. */
    upstreams: Type.Optional(Type.Record(Type.String(), atOnce)),
  },
  { additionalProperties: false },
);
export type BatchesSection = Static<typeof BatchesSection>;

export const batchesSection = defineSection({
  name: "batches",
  describe: "How many requests of batches one upstream gets at once from each process, at most.",
  schema: BatchesSection,
  fallback: {},
});

export const widthMaxOf = (
  { requests_at_once: common = workLimits.widthMax, upstreams = {} }: BatchesSection,
  upstream: string,
): number => upstreams[upstream] ?? common;
