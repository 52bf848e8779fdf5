// The catalog of models: built in, from the settings and from the console, with names resolved to one model.
import type { Adapter, Model } from "./types.ts";

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

export interface Entry {
  model: Model;
  origin: Origin;
}

/** Names that were asked for by pattern; strangers may invent them, so not without end. */
const remembered = 1_000;
export const nameCharactersMax = 256;

/** Entries of one id: the one of the highest origin counts. */
export function catalogOfEntries(
  entries: readonly Entry[],
  adapterOf: (model: Model) => Adapter,
): Catalog {
  const byId = new Map<string, Entry>();
  for (const entry of [...entries].sort(byOrigin)) byId.set(entry.model.id, entry);
  const builtIn = new Map(
    entries.flatMap(({ model, origin }) => (origin === "built-in" ? [[model.id, model]] : [])),
  );
  // A built-in model that somebody adjusted must not draw the names of the others to itself.
  const originOf = (alias: string, { model, origin }: Entry) =>
    builtIn.get(model.id)?.aliases.includes(alias) === true ? "built-in" : origin;
  const exact = new Map<string, Model>();
  const patterns: { literal: number; rank: number; pattern: RegExp; model: Model }[] = [];
  // Ascending, so that a name of a higher origin replaces the same one of a lower.
  for (const { model, origin } of [...byId.values()].sort(byOrigin))
    for (const alias of model.aliases)
      if (alias.includes("*"))
        patterns.push({
          literal: alias.replaceAll("*", "").length,
          rank: origins.indexOf(originOf(alias, { model, origin })),
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
      const match = patterns.find(({ pattern }) => pattern.test(name))?.model;
      if (found.size >= remembered) found.clear();
      found.set(name, match);
      return match;
    },
  };
}

const byOrigin = (a: Entry, b: Entry) => origins.indexOf(a.origin) - origins.indexOf(b.origin);

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

export interface Problem {
  id: string;
  origin: Origin;
  /** A sentence. */
  text: string;
}

/** What is wrong with the entries together. */
export function problemsOf(entries: readonly Entry[]): Problem[] {
  const ids = new Set(entries.map(({ model }) => model.id));
  const names = new Map<string, string>();
  return entries.flatMap(({ model, origin }) => {
    const { id, aliases, allowedFallbackModels, fallbackRouting, guard } = model;
    const texts: string[] = [];
    for (const name of [id, ...aliases]) {
      const other = names.get(`${origin} ${name}`);
      names.set(`${origin} ${name}`, id);
      if (other === id) texts.push(`The model ${id} is given the name ${name} twice.`);
      else if (other !== undefined)
        texts.push(`The models ${other} and ${id} share the name ${name}.`);
      else if (name !== id && ids.has(name))
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
