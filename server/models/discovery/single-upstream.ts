// One setting instead of two sections: the address of a model server, whose wire and models are found at start.
import { ExitError } from "../../../kernel/base/failure.ts";
import { simulatorModels } from "../catalog/built-in.ts";
import type { ModelEntry } from "../schema.ts";
import { expectConsistentModels, type ModelSettings } from "../catalog/settings.ts";
import { probe, type ProbeResult } from "./probe.ts";

const upstreamName = "upstream";
const whereKeysGo = "under upstreams in the settings file, or on the console's page Models";

/** Rule MDL19: what the file says goes over what was found, and both are checked together. */
export async function withSingleUpstream(
  settings: ModelSettings,
  baseUrl: string,
  chosen?: string,
  file?: string,
): Promise<{ settings: ModelSettings; detail: string }> {
  if (upstreamName in settings.upstreams)
    throw new ExitError(
      `The settings name an upstream "${upstreamName}" and the setting upstream is given too: rename the one in the file.`,
      2,
    );
  const { kind, models, detail, wantsKey } = await ask(baseUrl);
  const aliases = new Set(settings.models.flatMap((entry) => entry.aliases ?? []));
  const written = new Map(settings.models.map((entry) => [entry.id, entry]));
  // A server may come to list what the file calls another model by: that must not end in a refused start.
  const listed = models.filter((id) => id !== chosen && (!aliases.has(id) || written.has(id)));
  const names = chosen === undefined ? listed : [chosen, ...listed];
  const isLedTo = (id: string) => {
    const { upstream = upstreamName, lifecycle } = written.get(id) ?? {};
    return upstream === upstreamName && lifecycle !== "retired";
  };
  const model = chosen ?? names.find(isLedTo);
  const warnings = [
    ...(chosen === undefined ? [] : warningsOf(chosen, models, baseUrl)),
    ...(wantsKey ? [keyWanted(baseUrl)] : []),
  ];
  const whole: ModelSettings = {
    models: mergedOver(
      names.map((id) => entryFor(id, kind)),
      settings.models,
    ),
    upstreams: { ...settings.upstreams, [upstreamName]: { kind, base_url: baseUrl } },
    usual: {
      address: baseUrl,
      ...(model !== undefined && { model }),
      ...(warnings.length > 0 && { warnings }),
    },
  };
  expectConsistentModels(whole, file);
  return { detail, settings: whole };
}

async function ask(baseUrl: string): Promise<ProbeResult> {
  try {
    return await probe({ baseUrl });
  } catch (error) {
    if (!(error instanceof ExitError)) throw error;
    throw new ExitError(
      `${error.message} It is the address in the setting upstream (PLINTH_UPSTREAM): start that server first, or mend the address; if it wants a key, write both ${whereKeysGo}.`,
      error.exitCode,
      error,
    );
  }
}

/** Entries of the file keep their order. One that names another upstream says nothing of the found model. */
function mergedOver(found: readonly ModelEntry[], written: readonly ModelEntry[]): ModelEntry[] {
  const byId = new Map(found.map((entry) => [entry.id, entry]));
  const merged = written.map((entry) =>
    (entry.upstream ?? upstreamName) === upstreamName ? { ...byId.get(entry.id), ...entry } : entry,
  );
  for (const { id } of written) byId.delete(id);
  return [...merged, ...byId.values()];
}

const keyWanted = (address: string) =>
  `${address} wants a key, and the setting upstream takes none: write its address and key ${whereKeysGo}, in place of that setting`;

const namedMax = 10;

/** A name that was mistyped works like any other until the first request: the start says so. */
function warningsOf(chosen: string, models: readonly string[], address: string): string[] {
  const more = models.length - namedMax;
  const named = models.slice(0, namedMax).join(", ") + (more > 0 ? `, and ${more} more` : "");
  const isSimulated = simulatorModels.some(({ id }) => id === chosen);
  return [
    ...(models.length === 0 || models.includes(chosen)
      ? []
      : [`${address} lists no model ${chosen} that writes text; it has ${named}`]),
    ...(isSimulated ? [`${chosen} is the simulator's name too, and leads to ${address} now`] : []),
  ];
}

/**
 * What a found model takes is not known: clients that always think, or always say how hard to try, must work all the
 * same. What both wires can say goes to its server, which refuses what it does not take. A server of this wire may be
 * newer than this one, so it gets fields that only it knows.
 */
const entryFor = (id: string, kind: ProbeResult["kind"]): ModelEntry => ({
  id,
  upstream: upstreamName,
  upstream_model: id,
  ignores: ["thinking", "effort"],
  vision: true,
  structured_outputs: true,
  ...(kind === "messages" && { documents: true, pass: ["*"] }),
});

/** Lines of the start, for people: where names lead, and what looks like a mistake. */
export function singleUpstreamLines({ usual }: ModelSettings): string[] {
  if (usual === undefined) return [];
  const { address, model, warnings = [] } = usual;
  if (model === undefined && warnings.length === 0)
    return [
      `${address} lists none: name one with PLINTH_UPSTREAM_MODEL; until then claude-… names lead to the simulator`,
    ];
  return [
    `claude-… names lead to ${model === undefined ? "the simulator" : `${model} at ${address}`}`,
    ...warnings.map((warning) => `Warning: ${warning}.`),
  ];
}
