// The sections `models` and `upstreams` of the settings file, and how they are put together with the console's.
import { parseShallow } from "../../../kernel/base/json.ts";
import { readFileSync } from "node:fs";
import { dirname, resolve } from "node:path";
import Type from "typebox";
import { Check } from "typebox/value";
import { ExitError } from "../../../kernel/base/failure.ts";
import { defineSection } from "../../../kernel/settings/define.ts";
import type { Loaded } from "../../../kernel/settings/load.ts";
import { problemsOf, type CatalogEntry, type Origin, type CatalogProblem } from "./catalog.ts";
import { simulatorModels, simulatorName } from "./built-in.ts";
import { entryProblem, modelFromEntry } from "./entries.ts";
import { ModelEntry, UpstreamEntry, UpstreamName, type Upstream } from "../schema.ts";
import { Scenario } from "../steering/scenario.ts";

const modelsSection = defineSection({
  name: "models",
  describe: "Models beside the simulator's, or instead of them: a list of entries with an id.",
  schema: Type.Array(ModelEntry),
  fallback: [],
});
const upstreamsSection = defineSection({
  name: "upstreams",
  describe: "Where models are asked: by name, the kind, address and key of each.",
  schema: Type.Record(UpstreamName, UpstreamEntry, { additionalProperties: false }),
  fallback: {},
});
export const sections = [modelsSection, upstreamsSection];

/** What the settings file says of models; it travels to worker processes as JSON. */
export interface ModelSettings {
  models: readonly ModelEntry[];
  upstreams: Readonly<Record<string, Upstream>>;
  /** Of the setting `upstream`: the model that `claude-…` names lead to, unless they are written elsewhere. */
  usual?: { address: string; model?: string; warnings?: readonly string[] };
}

export const noSettings: ModelSettings = { models: [], upstreams: {} };
const usageExitCode = 2;

/** As the file says them: see `expectConsistentModels`. Scenarios that are files are read here. */
export function readModelSettings({
  section,
  file = "the settings file",
}: Pick<Loaded<unknown>, "section" | "file">): ModelSettings {
  const models = section(modelsSection);
  const upstreams = Object.fromEntries(
    Object.entries(section(upstreamsSection)).map(([name, { scenario, ...rest }]) => [
      name,
      { ...rest, ...(scenario !== undefined && { scenario: scenarioOf(scenario, file, name) }) },
    ]),
  );
  return { models, upstreams };
}

/** Refuses models that do not hold together; with the setting `upstream`, once its models were found. */
export function expectConsistentModels(settings: ModelSettings, file = "the settings file"): void {
  const [problem] = assembleCatalog(settings, noSettings).problems;
  if (problem !== undefined)
    throw new ExitError(`${problem.text} Mend it in ${file}.`, usageExitCode);
}

function scenarioOf(scenario: string | Scenario, file: string, name: string): Scenario {
  if (typeof scenario !== "string") return scenario;
  const path = resolve(dirname(file), scenario);
  const refuse = (why: string, error?: unknown) =>
    new ExitError(`The scenario ${path} of the upstream ${name} ${why}.`, usageExitCode, error);
  let content: unknown;
  try {
    content = parseShallow(readFileSync(path, "utf8"));
  } catch (error) {
    throw refuse(error instanceof SyntaxError ? "is not JSON" : "cannot be read", error);
  }
  if (!Check(Scenario, content)) throw refuse("is not a list of turns");
  return content;
}

export interface NamedUpstream {
  name: string;
  origin: Origin;
  upstream: Upstream;
}

export interface AssembledCatalog {
  /** One for each id: those that are overridden are not in it. */
  entries: CatalogEntry[];
  upstreams: Map<string, NamedUpstream>;
  problems: CatalogProblem[];
}

/** Built in, then the console's, then the file's: each may override what came before. */
export function assembleCatalog(settings: ModelSettings, stored: ModelSettings): AssembledCatalog {
  const upstreams = new Map<string, NamedUpstream>();
  const add = (name: string, upstream: Upstream, origin: Origin) =>
    void upstreams.set(name, { name, upstream, origin });
  add(simulatorName, { kind: "simulator" }, "built-in");
  for (const [name, upstream] of Object.entries(stored.upstreams)) add(name, upstream, "console");
  for (const [name, upstream] of Object.entries(settings.upstreams))
    add(name, upstream, "settings");

  const entries: CatalogEntry[] = simulatorModels.map((model) => ({ model, origin: "built-in" }));
  const problems: CatalogProblem[] = [];
  for (const { name, origin, upstream } of upstreams.values()) {
    const text = upstreamProblem(name, upstream);
    if (text !== undefined) problems.push({ id: name, origin, text });
  }
  const addModels = (list: readonly ModelEntry[], origin: Origin) => {
    for (const entry of list) {
      const found = resolveEntry(entry, entries, upstreams);
      if (typeof found === "string") problems.push({ id: entry.id, origin, text: found });
      else entries.push({ model: found, origin });
    }
  };
  addModels(stored.models, "console");
  addModels(settings.models, "settings");
  const isSame = (one: CatalogEntry) => (other: CatalogEntry) =>
    other.model.id === one.model.id && other.origin === one.origin;
  for (const [index, entry] of entries.entries()) {
    const { origin, model } = entry;
    if (entries.findIndex(isSame(entry)) < index)
      problems.push({ id: model.id, origin, text: `The model ${model.id} is there twice.` });
  }
  const effective = entries.filter(
    ({ model }, index) => entries.findLastIndex((other) => other.model.id === model.id) === index,
  );
  problems.push(...problemsOf(effective));
  const { model: usual } = settings.usual ?? {};
  const named = effective.map((entry) =>
    entry.model.id === usual ? { ...entry, usualNames: ["claude-*"] } : entry,
  );
  return { entries: named, upstreams, problems };
}

function resolveEntry(
  entry: ModelEntry,
  before: readonly CatalogEntry[],
  upstreams: ReadonlyMap<string, NamedUpstream>,
) {
  const overridden = before.findLast(({ model }) => model.id === entry.id)?.model;
  const name = entry.upstream ?? overridden?.upstream;
  if (name === undefined)
    return `The model ${entry.id} names no upstream: known are ${[...upstreams.keys()].join(", ")}.`;
  const found = upstreams.get(name);
  if (found === undefined)
    return `The model ${entry.id} names the upstream ${name}, which is not there: known are ${[...upstreams.keys()].join(", ")}.`;
  const model = modelFromEntry(entry, { name, ...found.upstream }, overridden);
  return entryProblem(entry) ?? model;
}

/** What is wrong with an upstream in itself, as a sentence. */
export function upstreamProblem(name: string, upstream: Upstream): string | undefined {
  const { kind, base_url: url, key, headers, timeouts, scenario } = upstream;
  if (kind === "simulator")
    return [url, key, headers, timeouts].some((value) => value !== undefined)
      ? `The upstream ${name} is a simulator: it takes a scenario and no base_url, key, headers or timeouts.`
      : undefined;
  if (scenario !== undefined)
    return `The upstream ${name} has a scenario, which only the kind simulator takes.`;
  if (url === undefined) return `The upstream ${name} needs a base_url.`;
  if (!URL.canParse(url)) return `The base_url of the upstream ${name} is no address.`;
  const { protocol, username, password, search, hash } = new URL(url);
  const isPlain = [username, password, search, hash].every((part) => part === "");
  return /^https?:$/.test(protocol) && isPlain
    ? undefined
    : `The base_url of the upstream ${name} must be an http or https address without user name, password, query or fragment.`;
}
