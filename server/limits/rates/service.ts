// Rate limits over the API: each group of models with what is enforced, and what a workspace has of its own.
import { invalid, notFound } from "../../../kernel/base/failure.ts";
import type { Context } from "../../../kernel/context.ts";
import { makeCursors, pageSize, toCursorPage } from "../../../kernel/http/pages.ts";
import { hashSecret } from "../../../kernel/secret/token.ts";
import { catalogOf } from "../../models/module.ts";
import * as workspaces from "../../workspaces/module.ts";
import type {
  LimiterType,
  OrganizationRateLimit,
  OrganizationRateQuery,
  SetWorkspaceRate,
  WorkspaceRateLimit,
  WorkspaceRateQuery,
} from "./schema.ts";
import * as queries from "../queries.ts";
import { changeRates, groupsOf, valueOf } from "./service-console.ts";
import { limits } from "../limits.ts";
import { rateTypes, type RateType } from "../schema.ts";

/** What is read from a cache counts for none of them. */
const limiterOf: Record<RateType, LimiterType> = {
  requests: "requests_per_minute",
  input_tokens: "input_tokens_per_minute_cache_aware",
  output_tokens: "output_tokens_per_minute",
};
/** As the console names them. */
const changeOf = {
  requests_per_minute: "requests_per_minute",
  input_tokens_per_minute_cache_aware: "input_tokens_per_minute",
  output_tokens_per_minute: "output_tokens_per_minute",
} as const;
const isEnforced = (type: LimiterType): type is keyof typeof changeOf => type in changeOf;

const idOf = (...parts: string[]) =>
  `rlg_${hashSecret(JSON.stringify(parts)).toString("hex").slice(0, 24)}`;

/** Of the entry of a group of models: it stays as long as the organization. */
export const publicRateId = (organizationId: string, group: string) => idOf(organizationId, group);

interface Group {
  name: string;
  /** Models and aliases. */
  models: string[];
}

/** Those of the catalog, and those that a limit was set for and that no model belongs to any more. */
function groupsIn(context: Context, set: readonly queries.RateRow[]): Group[] {
  const models = groupsOf(context);
  const aliases = new Map(
    catalogOf(context)
      .list()
      .map((model) => [model.id, model.aliases]),
  );
  return [...new Set([...models.keys(), ...set.map(({ group }) => group)])]
    .toSorted()
    .map((name) => ({
      name,
      models: (models.get(name) ?? []).flatMap((id) => [id, ...(aliases.get(id) ?? [])]),
    }));
}

const groupShown = ({ name }: Group) =>
  ({ id: idOf(name), type: "model_group", display_name: name }) as const;

/** Rule LIM17. */
export async function listOrganizationRates(context: Context, query: OrganizationRateQuery) {
  const { organizationId } = context.who;
  const set = await queries.selectRates(context.db, organizationId);
  const groups = groupsIn(context, set);
  const wanted = query.model === undefined ? groups : [groupOf(context, query.model, groups)];
  const shown = ofType(query.group_type, wanted);
  return pageOf(context, "rate_limits", query, shown, (group): OrganizationRateLimit => ({
    id: publicRateId(organizationId, group.name),
    type: "rate_limit",
    group: groupShown(group),
    limits: rateTypes.map((type) => ({
      type: limiterOf[type],
      value: valueOf({ context, workspaceId: "", group: group.name, set }, type).value,
    })),
    models: group.models,
  }));
}

/** By any name that a request may give a model. */
function groupOf(context: Context, model: string, groups: readonly Group[]): Group {
  const id = catalogOf(context).resolve(model)?.id ?? model;
  const found = groups.find(({ models }) => models.includes(id));
  if (found === undefined) throw notFound("model", model);
  return found;
}

const ofType = (type: OrganizationRateQuery["group_type"], groups: readonly Group[]) =>
  type === undefined || type === "model_group" ? groups : [];

/** Rule LIM17. Without a limit the list is whole. */
function pageOf<T>(
  context: Context,
  list: string,
  query: { limit?: number; page?: string },
  groups: readonly Group[],
  show: (group: Group) => T,
) {
  const cursors = makeCursors(context.secrets);
  const { organizationId } = context.who;
  const after = cursors.read(list, organizationId, query.page) as string | undefined;
  const left = groups.filter(({ name }) => after === undefined || name > after);
  const size =
    query.limit === undefined
      ? Math.max(1, left.length)
      : pageSize(query.limit, { itemsMax: limits.listItemsMax });
  const page = toCursorPage(left, size, ({ name }) => cursors.write(list, organizationId, name));
  return { ...page, data: page.data.map(show) };
}

export async function listWorkspaceRates(
  context: Context,
  workspaceId: string,
  query: WorkspaceRateQuery,
) {
  const { organizationId } = context.who;
  await expectWorkspace(context, workspaceId);
  const set = await queries.selectRates(context.db, organizationId);
  const inherits = query.include_inherited === true;
  const overridden = new Set(
    set.filter((row) => row.workspaceId === workspaceId).map((row) => row.group),
  );
  const groups = groupsIn(context, set).filter(({ name }) => inherits || overridden.has(name));
  const list = `workspace_rate_limits.${workspaceId}`;
  return pageOf(context, list, query, ofType(query.group_type, groups), (group) =>
    toWorkspaceLimit(context, { workspaceId, group, set, inherits }),
  );
}

async function expectWorkspace({ db, who }: Context, id: string): Promise<void> {
  const workspace = await workspaces.findWorkspace(db, who.organizationId, id);
  if (workspace === undefined) throw notFound("workspace", id);
}

interface Shown {
  workspaceId: string;
  group: Group;
  set: readonly queries.RateRow[];
  /** What it has from its organization, too. */
  inherits: boolean;
}

function toWorkspaceLimit(
  context: Context,
  { workspaceId, group, set, inherits }: Shown,
): WorkspaceRateLimit {
  const { name } = group;
  const overrides = set.filter((row) => row.workspaceId === workspaceId && row.group === name);
  const rows = rateTypes.flatMap((type): WorkspaceRateLimit["limits"] => {
    const override = overrides.find((row) => row.type === type);
    if (override === undefined && !inherits) return [];
    const { value, org_limit } = valueOf({ context, workspaceId, group: name, set }, type);
    const source = override === undefined ? "organization" : "workspace";
    return [{ type: limiterOf[type], value, org_limit, source: { type: source } }];
  });
  return {
    type: "workspace_rate_limit",
    rate_limit_id: publicRateId(context.who.organizationId, name),
    workspace_id: workspaceId,
    group: groupShown(group),
    models: group.models,
    limits: rows,
  };
}

/** Rule LIM17. */
export async function setWorkspaceRate(
  context: Context,
  { workspace_id: workspaceId, rate_limit_id: id }: { workspace_id: string; rate_limit_id: string },
  input: SetWorkspaceRate,
): Promise<WorkspaceRateLimit> {
  const { db, who } = context;
  await expectWorkspace(context, workspaceId);
  const groups = groupsIn(context, await queries.selectRates(db, who.organizationId));
  const group = groups.find(({ name }) => publicRateId(who.organizationId, name) === id);
  if (group === undefined) throw notFound("rate limit", id);
  const changes = input.limits.map(({ type, value }) => {
    if (!isEnforced(type))
      throw invalid(
        `limits: nothing here enforces ${type}; what can be limited is ${Object.keys(changeOf).join(", ")}.`,
      );
    return { type: changeOf[type], value };
  });
  await changeRates(context, { workspaceId, group: group.name, limits: changes });
  const set = await queries.selectRates(db, who.organizationId);
  return toWorkspaceLimit(context, { workspaceId, group, set, inherits: false });
}
