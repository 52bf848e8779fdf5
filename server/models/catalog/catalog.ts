// The catalog of models: built in, from the settings and from the console, with names resolved to one model.
import { simulatorModels, simulatorName } from "./built-in.ts";
import type { Adapter, Model } from "../types.ts";

export interface Catalog {
  /** By id or alias. */
  resolve(name: string): Model | undefined;
  /** Every model, the newest first; retired ones too. */
  list(): readonly Model[];
  adapterOf(model: Model): Adapter;
}

/** Where an entry comes from. The later ones override the earlier. */
export const origins = ["built-in", "console", "settings"] as const;
export type Origin = (typeof origins)[number];

export interface CatalogEntry {
  model: Model;
  origin: Origin;
  /** Names of the model beside its aliases, from the setting `upstream`: names that were written go first. */
  usualNames?: readonly string[];
}

/** Which of two names goes first: the later one. */
const ranks = ["built-in", "usual", "console", "settings"] as const;

/** Names found by a pattern that are remembered; callers may invent them, so not without end. */
const rememberedMax = 1_000;
export const nameCharactersMax = 256;

/** Entries of one id: the one of the highest origin counts. */
export function catalogOfEntries(
  entries: readonly CatalogEntry[],
  adapterOf: (model: Model) => Adapter,
): Catalog {
  const byId = new Map<string, CatalogEntry>();
  for (const entry of [...entries].sort(byOrigin)) byId.set(entry.model.id, entry);
  const exact = new Map<string, Model>();
  const patterns: { literal: number; rank: number; pattern: RegExp; model: Model }[] = [];
  const names = [...byId.values()].flatMap((entry) => {
    const { model, usualNames = [] } = entry;
    const rankOf = (rank: (typeof ranks)[number]) => ranks.indexOf(rank);
    return [
      ...model.aliases.map((alias) => ({ alias, model, rank: rankOf(aliasOrigin(alias, entry)) })),
      ...usualNames.map((alias) => ({ alias, model, rank: rankOf("usual") })),
    ];
  });
  // Ascending, so that a name of a higher origin replaces the same one of a lower.
  for (const { alias, model, rank } of names.sort((a, b) => a.rank - b.rank))
    // An exact name that is built in is weighed like a pattern: a pattern that was written goes before it.
    if (alias.includes("*") || ranks[rank] === "built-in")
      patterns.push({
        literal: alias.replaceAll("*", "").length,
        rank,
        pattern: patternOf(alias),
        model,
      });
    else exact.set(alias, model);
  for (const { model } of byId.values()) exact.set(model.id, model);
  patterns.sort((a, b) => b.rank - a.rank || b.literal - a.literal);
  const models = [...byId.values()].map(({ model }) => model).sort(newestFirst);
  const found = new Map<string, Model | undefined>();

  return {
    list: () => models,
    adapterOf,
    resolve: (name) => {
      const model = exact.get(name);
      if (model !== undefined || found.has(name)) return model ?? found.get(name);
      if (name.length > nameCharactersMax) return undefined;
      const usual = usualSpelling(name);
      const match =
        exact.get(usual) ??
        patterns.find(({ pattern }) => pattern.test(name) || pattern.test(usual))?.model;
      if (found.size >= rememberedMax) found.clear();
      found.set(name, match);
      return match;
    },
  };
}

/** Of `anthropic/claude-opus-4.1:beta` or `claude-opus-4-1@20250805`, as routers of models write: with `-` alone. */
const usualSpelling = (name: string): string =>
  /^(?:anthropic\/)?claude-/.test(name)
    ? name
        .replace(/^anthropic\//, "")
        .replace(/:.*$/s, "")
        .replaceAll(/[^A-Za-z0-9]+/g, "-")
    : name;

/** Models that an operator set or a server listed go before the simulator's. */
export const simulatorLast = (models: readonly Model[]): Model[] =>
  models.toSorted((a, b) => Number(isSimulators(a)) - Number(isSimulators(b)));

const isSimulators = ({ id, upstream }: Model) => upstream === simulatorName && builtIn.has(id);

const builtIn = new Map(simulatorModels.map((model) => [model.id, model]));

/** A built-in model that an operator adjusted must not draw the names of the others to itself. */
const aliasOrigin = (alias: string, { model, origin }: CatalogEntry): Origin =>
  builtIn.get(model.id)?.aliases.includes(alias) === true ? "built-in" : origin;

const byOrigin = (a: CatalogEntry, b: CatalogEntry) =>
  origins.indexOf(a.origin) - origins.indexOf(b.origin);

const newestFirst = (a: Model, b: Model) =>
  b.createdAt.localeCompare(a.createdAt) || a.id.localeCompare(b.id);

const patternOf = (alias: string) =>
  new RegExp(
    `^${alias
      .split("*")
      .map((part) => part.replaceAll(/[.+?^${}()|[\]\\]/g, "\\$&"))
      .join(".*")}$`,
    "s",
  );

export interface CatalogProblem {
  id: string;
  origin: Origin;
  /** A sentence. */
  text: string;
}

/** What is wrong with the entries together. */
export function problemsOf(entries: readonly CatalogEntry[]): CatalogProblem[] {
  const ids = new Set(entries.map(({ model }) => model.id));
  const names = new Map<string, string>();
  return entries.flatMap((entry) => {
    const { model, origin } = entry;
    const { id, aliases, allowedFallbackModels, fallbackRouting, guard } = model;
    const texts: string[] = [];
    for (const name of [id, ...aliases]) {
      const key = `${name === id ? origin : aliasOrigin(name, entry)} ${name}`;
      const other = names.get(key);
      names.set(key, id);
      if (other === id) texts.push(`The model ${id} is given the name ${name} twice.`);
      else if (other !== undefined)
        texts.push(`The models ${other} and ${id} share the name ${name}.`);
      else if (name !== id && ids.has(name) && aliasOrigin(name, entry) !== "built-in")
        texts.push(`The alias ${name} of the model ${id} is the id of another model.`);
    }
    for (const name of allowedFallbackModels)
      if (name === id) texts.push(`The model ${id} cannot fall back to itself.`);
      else if (!ids.has(name))
        texts.push(`The model ${id} may fall back to ${name}, which is no model's id.`);
    for (const name of Object.values(fallbackRouting))
      if (!allowedFallbackModels.includes(name))
        texts.push(
          `fallback_routing of ${id} names ${name}, which its allowed_fallback_models lack.`,
        );
    if (guard !== null && !ids.has(guard))
      texts.push(`The guard of the model ${id} is ${guard}, which is no model's id.`);
    return texts.map((text) => ({ id, origin, text }));
  });
}
