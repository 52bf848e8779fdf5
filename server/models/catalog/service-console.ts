// Models and upstreams as the console sets them: for the whole installation, one change after the other.
import assert from "node:assert/strict";
import { ExitError, invalid, notFound } from "../../../kernel/base/failure.ts";
import type { Context } from "../../../kernel/context.ts";
import type { Tx } from "../../../kernel/sql/database.ts";
import * as audit from "../../audit/module.ts";
import { expectOperator } from "../../identity/module.ts";
import { simulatorModels } from "./built-in.ts";
import { consoleModelOf } from "./entries.ts";
import {
  catalogOf,
  changesChannel,
  readStored,
  secretContext,
  modelSettingsOf,
} from "./process-catalog.ts";
import * as queries from "./queries.ts";
import { limits } from "../limits.ts";
import type {
  ConsoleModel,
  ConsoleUpstream,
  ModelEntry,
  SetUpstream,
  TestedUpstream,
  TestUpstream,
  Upstream,
} from "../schema.ts";
import { assembleCatalog, type ModelSettings, type NamedUpstream } from "./settings.ts";
import { probe } from "../discovery/probe.ts";

export async function listConsoleModels(context: Context) {
  await expectOperator(context);
  const { entries, problems } = catalogOf(context).assembled();
  return {
    data: entries.map(consoleModelOf).sort((a, b) => (a.id < b.id ? -1 : 1)),
    problems: problems.map(({ text }) => text),
  };
}

export async function setModel(context: Context, entry: ModelEntry): Promise<ConsoleModel> {
  const { id } = entry;
  if (modelSettingsOf(context).models.some((model) => model.id === id))
    throw inSettings("model", id);
  const assembled = await change(context, async (tx, before) => {
    const others = before.models.filter((model) => model.id !== id);
    const kept = { ...entry, ...createdAt(context, entry, before) };
    if (others.length >= limits.storedMax)
      throw invalid(`There are ${others.length} models, the most there may be. Remove some first.`);
    await queries.putModel(tx, { id, entry: kept }, context.clock.now());
    await recordCatalogEvent(
      tx,
      context,
      "model.set",
      { type: "model", id },
      { upstream: entry.upstream },
    );
    return { ...before, models: [...others, kept] };
  });
  const made = assembled.entries.find(({ model }) => model.id === id);
  assert(made !== undefined, `the model ${id} is not in the catalog`);
  return consoleModelOf(made);
}

/** A new model is of today, where its entry names no other day. */
function createdAt({ clock }: Context, { id, created_at }: ModelEntry, { models }: ModelSettings) {
  const isBuiltIn = simulatorModels.some((model) => model.id === id);
  if (created_at !== undefined || isBuiltIn) return {};
  const before = models.find((model) => model.id === id)?.created_at;
  return { created_at: before ?? clock.now().toISOString() };
}

export async function removeModel(context: Context, id: string): Promise<void> {
  if (modelSettingsOf(context).models.some((model) => model.id === id))
    throw inSettings("model", id);
  await change(context, async (tx, before) => {
    if (!(await queries.deleteModel(tx, id)))
      throw notFound("model", `${id} that was set in the console`);
    await recordCatalogEvent(tx, context, "model.removed", { type: "model", id });
    return { ...before, models: before.models.filter((model) => model.id !== id) };
  });
}

export async function listConsoleUpstreams(context: Context) {
  await expectOperator(context);
  const { upstreams } = catalogOf(context).assembled();
  return { data: [...upstreams.values()].map(toConsoleUpstream) };
}

export async function setUpstream(context: Context, input: SetUpstream): Promise<ConsoleUpstream> {
  const { name } = input;
  if (modelSettingsOf(context).upstreams[name] !== undefined) throw inSettings("upstream", name);
  const assembled = await change(context, async (tx, before) => {
    if (Object.keys(before.upstreams).length >= limits.storedMax)
      throw invalid(`There are ${limits.storedMax} upstreams, the most there may be.`);
    const upstream = withSecrets(input, before.upstreams[name]);
    const { key, headers, ...settings } = upstream;
    const secret = { ...(key !== undefined && { key }), ...(headers !== undefined && { headers }) };
    const row = {
      name,
      settings,
      key_sealed:
        Object.keys(secret).length === 0
          ? null
          : context.secrets.encrypt(JSON.stringify(secret), secretContext(name)),
      key_hint: key === undefined ? null : hintOf(key),
    };
    await queries.putUpstream(tx, row, context.clock.now());
    const details = { kind: input.kind, base_url: input.base_url };
    await recordCatalogEvent(tx, context, "upstream.set", { type: "upstream", id: name }, details);
    return { ...before, upstreams: { ...before.upstreams, [name]: upstream } };
  });
  const made = assembled.upstreams.get(name);
  assert(made !== undefined, `the upstream ${name} is not in the catalog`);
  return toConsoleUpstream(made);
}

/** Rule MDL11: what is not given stays, but a key never goes to another host than the one it was given for. */
export function withSecrets(input: SetUpstream, before: Upstream | undefined): Upstream {
  const { name: _, key: given, headers: _headers, ...settings } = input;
  const isSameHost = before?.base_url !== undefined && hostOf(before) === hostOf(input);
  const key = given === undefined && isSameHost ? before.key : (given ?? undefined);
  const headers = input.headers ?? (isSameHost ? before.headers : undefined);
  return {
    ...settings,
    ...(key !== undefined && { key }),
    ...(headers !== undefined && { headers }),
  };
}

const hostOf = ({ base_url: url = "" }: { base_url?: string }) =>
  URL.canParse(url) ? new URL(url).origin : undefined;

export async function removeUpstream(context: Context, name: string): Promise<void> {
  if (modelSettingsOf(context).upstreams[name] !== undefined) throw inSettings("upstream", name);
  await change(context, async (tx, before) => {
    if (!(await queries.deleteUpstream(tx, name)))
      throw notFound("upstream", `${name} that was set in the console`);
    await recordCatalogEvent(tx, context, "upstream.removed", { type: "upstream", id: name });
    const { [name]: _, ...upstreams } = before.upstreams;
    return { ...before, upstreams };
  });
}

/** Rule MDL13. The key of an upstream goes to its own host only. */
export async function testUpstream(
  context: Context,
  { name, base_url, key }: TestUpstream,
): Promise<TestedUpstream> {
  await expectOperator(context);
  const known = name === undefined ? undefined : upstreamNamed(context, name);
  const baseUrl = base_url ?? known?.base_url;
  if (known?.kind === "simulator" && base_url === undefined)
    return {
      works: true,
      kind: "simulator",
      models: simulatorModels.map(({ id }) => id),
      detail: "The simulator needs nothing.",
    };
  if (baseUrl === undefined) throw invalid("base_url: is required where no upstream is named.");
  const kept = known !== undefined && hostOf({ base_url: baseUrl }) === hostOf(known);
  const sent = key ?? (kept ? known.key : undefined);
  const result = await ask(context, baseUrl, sent);
  await context.db.tx((tx) => {
    const id = name ?? hostOf({ base_url: baseUrl }) ?? "an address";
    const target = { type: "upstream", id };
    return recordCatalogEvent(tx, context, "upstream.tested", target, { works: result.works });
  });
  return result;
}

async function ask({ clock }: Context, baseUrl: string, key?: string): Promise<TestedUpstream> {
  try {
    const { kind, models, detail } = await probe({
      baseUrl,
      clock,
      ...(key !== undefined && { key }),
    });
    return { works: true, kind, models, detail };
  } catch (error) {
    if (!(error instanceof ExitError)) throw error;
    return { works: false, kind: null, models: [], detail: error.message };
  }
}

function upstreamNamed(context: Context, name: string): Upstream {
  const found = catalogOf(context).assembled().upstreams.get(name);
  if (found === undefined) throw notFound("upstream", name);
  return found.upstream;
}

const inSettings = (noun: string, name: string) =>
  invalid(`The ${noun} ${name} stands in the settings file: change it there, and restart.`);

/** Changes the latest catalog, one change at a time; refused where the catalog would not hold together any more. */
async function change(
  context: Context,
  work: (tx: Tx, before: ModelSettings) => Promise<ModelSettings>,
) {
  await expectOperator(context);
  const settings = modelSettingsOf(context);
  const assembled = await context.db.tx(async (tx) => {
    await queries.raiseChanges(tx);
    const before = await readStored(context, tx);
    const known = new Set(assembleCatalog(settings, before).problems.map(({ text }) => text));
    const result = assembleCatalog(settings, await work(tx, before));
    const problem = result.problems.find(({ text }) => !known.has(text));
    if (problem !== undefined) throw invalid(problem.text);
    tx.afterCommit(() => context.hints.send(changesChannel, "all"));
    return result;
  });
  await catalogOf(context).refresh();
  return assembled;
}

const recordCatalogEvent = (
  tx: Tx,
  context: Context,
  action: string,
  target: { type: string; id: string },
  details: Record<string, unknown> = {},
) =>
  audit.recordByCaller(tx, context, {
    action,
    target,
    details,
  });

const hintOf = (key: string) => (key.length < 12 ? "..." : `...${key.slice(-4)}`);

const toConsoleUpstream = ({ name, origin, upstream }: NamedUpstream): ConsoleUpstream => ({
  name,
  kind: upstream.kind,
  origin,
  base_url: upstream.base_url ?? null,
  key_hint: upstream.key === undefined ? null : hintOf(upstream.key),
  header_names: Object.keys(upstream.headers ?? {}).sort(),
  pass: upstream.pass ?? [],
  ...(upstream.timeouts !== undefined && { timeouts: upstream.timeouts }),
  scenario_turns: upstream.scenario?.length ?? 0,
});
