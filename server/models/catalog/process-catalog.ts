// The catalog of this process: put together again whenever the console has changed it, on any process.
import assert from "node:assert/strict";
import { parseExactly } from "../../../kernel/base/exact-json.ts";
import type { World } from "../../../kernel/context.ts";
import type { Queryable } from "../../../kernel/sql/database.ts";
import { every } from "../../../kernel/work/every.ts";
import { part } from "../../../kernel/work/parts.ts";
import { healthTopic, openAdapters, type Adapters } from "../upstreams/adapters.ts";
import { catalogOfEntries, type Catalog } from "./catalog.ts";
import * as queries from "./queries.ts";
import { limits } from "../limits.ts";
import type { ModelEntry, Upstream } from "../schema.ts";
import {
  assembleCatalog,
  noSettings,
  type AssembledCatalog,
  type ModelSettings,
} from "./settings.ts";

export interface ProcessCatalog extends Catalog {
  /** As it is now, whatever is changed or removed from here on: a request keeps to the catalog that it began with. */
  snapshot(): Catalog;
  /** Reads what the console has set, if it changed. */
  refresh(): Promise<void>;
  /** Requests that this upstream has from this process, streams until their end. */
  underWay(upstream: string): number;
  /** What the console shows beside the models. */
  assembled(): AssembledCatalog;
  /** How each upstream has answered this process of late. */
  health: Adapters["health"];
  /** Ends the connections to upstreams. */
  close(): Promise<void>;
}

export const changesChannel = "catalog";

function openCatalog(world: World): ProcessCatalog {
  const { db, logger } = world;
  const adapters = openAdapters(world);
  const settings = modelSettingsOf(world);
  let counter = -1;
  let current = withoutBrokenModels(assembleCatalog(settings, noSettings), settings, noSettings);
  let catalog = build(current);

  function build({ entries, upstreams }: AssembledCatalog): Catalog {
    return catalogOfEntries(entries, ({ upstream: name }) => {
      const found = upstreams.get(name);
      assert(found !== undefined, `the upstream ${name} is not there`);
      return adapters.of(name, found.upstream);
    });
  }

  async function read(): Promise<void> {
    const now = await queries.readChanges(db);
    if (now === counter) return;
    const stored = await readStored(world, db);
    counter = now;
    current = withoutBrokenModels(assembleCatalog(settings, stored), settings, stored);
    catalog = build(current);
    adapters.keepOnly(current.upstreams);
    for (const { text } of current.problems) logger.warn({ problem: text }, "a model is left out");
  }

  // One after the other: an older reading must not replace a newer one.
  let reading = Promise.resolve();
  const refresh = () => (reading = reading.catch(() => {}).then(read));

  return {
    refresh,
    snapshot: () => catalog,
    underWay: adapters.underWay,
    assembled: () => current,
    resolve: (name) => catalog.resolve(name),
    list: () => catalog.list(),
    adapterOf: (model) => catalog.adapterOf(model),
    health: adapters.health,
    close: adapters.close,
  };
}

export const modelSettingsOf = ({ sections }: World): ModelSettings =>
  (sections?.["models"] as ModelSettings | undefined) ?? noSettings;

/** What the console has set, with keys opened. */
export async function readStored(world: World, from: Queryable): Promise<ModelSettings> {
  const { secrets, logger } = world;
  const models = await queries.listModels(from, limits.storedMax);
  const rows = await queries.listUpstreams(from, limits.storedMax);
  const upstreams = rows.map(({ name, settings, key_sealed: encrypted }): [string, Upstream] => {
    if (encrypted === null) return [name, settings];
    try {
      const secret = parseExactly(
        String(secrets.decrypt(encrypted, secretContext(name))),
      ) as UpstreamSecret;
      return [name, { ...settings, ...secret }];
    } catch {
      logger.warn({ upstream: name }, "the key of an upstream cannot be opened");
      return [name, settings];
    }
  });
  return { models: models.map(({ entry }) => entry), upstreams: Object.fromEntries(upstreams) };
}

export type UpstreamSecret = Pick<Upstream, "key" | "headers">;
export const secretContext = (name: string) => `upstream ${name}`;

/**
 * What the console has set and what does not hold together with the settings file any more is left out, one by
 * one, until the rest does: a server that starts after its settings changed must serve what it can.
 */
function withoutBrokenModels(
  assembled: AssembledCatalog,
  settings: ModelSettings,
  stored: ModelSettings,
): AssembledCatalog {
  let { models } = stored;
  let found = assembled;
  while (found.problems.some(({ origin }) => origin === "console")) {
    const wrong = new Set(found.problems.map(({ id }) => id));
    const kept: readonly ModelEntry[] = models.filter(({ id }) => !wrong.has(id));
    if (kept.length === models.length) break;
    models = kept;
    found = assembleCatalog(settings, { ...stored, models });
  }
  return { ...found, problems: assembled.problems };
}

/** Goes on while the database is away: it is asked again soon. */
function keepUp(world: World, { refresh }: ProcessCatalog): () => Promise<void> {
  const { hints, logger } = world;
  const name = "reading the catalog";
  const stop = every(world, limits.changesPollMs, { name, act: refresh });
  const stopListening = hints.listen(changesChannel, () => {
    refresh().catch((error: unknown) => logger.warn({ error }, `${name} failed`));
  });
  return async () => {
    stopListening();
    await stop();
  };
}

/** Keeps up with what other processes change, and at the end closes what it has opened. */
export const catalogPart = part("catalog of models", {
  make: (world: World) => openCatalog(world),
  start: (world, catalog) => {
    world.peers.answer(healthTopic, catalog.health);
    const stop = keepUp(world, catalog);
    return async () => {
      await stop();
      await catalog.close();
    };
  },
});

export const catalogOf = catalogPart.of;
