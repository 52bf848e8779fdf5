// One setting instead of two sections: the address of a model server, whose wire and models are found at start.
import { Refusal } from "../../kernel/base/failure.ts";
import { entryProblem } from "./entries.ts";
import type { ModelEntry } from "./schema.ts";
import type { ModelSettings } from "./settings.ts";
import { probe } from "./upstreams/probe.ts";

const upstreamName = "upstream";

/** What the file says of models comes first; a model of the same id is left as it is there. */
export async function withNamedUpstream(
  settings: ModelSettings,
  baseUrl: string,
): Promise<{ settings: ModelSettings; detail: string }> {
  if (upstreamName in settings.upstreams)
    throw new Refusal(
      `The settings name an upstream "${upstreamName}" and the setting upstream is given too: rename the one in the file.`,
      2,
    );
  const { kind, models, detail } = await probe({ baseUrl });
  const known = new Set(settings.models.map(({ id }) => id));
  const found = models
    .map((id): ModelEntry => ({ id, upstream: upstreamName, upstream_model: id }))
    .filter((entry) => !known.has(entry.id) && entryProblem(entry) === undefined);
  return {
    detail,
    settings: {
      models: [...settings.models, ...found],
      upstreams: { ...settings.upstreams, [upstreamName]: { kind, base_url: baseUrl } },
    },
  };
}
