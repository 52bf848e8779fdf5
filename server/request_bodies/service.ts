// What a workspace keeps of its requests, and a look at what was kept.
import { invalid, notFound } from "../../kernel/base/failure.ts";
import { timeOfId } from "../../kernel/base/ids.ts";
import type { Context } from "../../kernel/context.ts";
import { json, type Reply } from "../../kernel/http/output/reply.ts";
import type { Tx } from "../../kernel/sql/database.ts";
import { recordByCaller } from "../audit/module.ts";
import {
  expectMayManageWorkspaces,
  expectVisibleWorkspace,
  lockOrganization,
  mayManageWorkspaces,
} from "../workspaces/module.ts";
import { bodyKeeperOf } from "./kept/body-keeper.ts";
import { openBody } from "./kept/sealed-body.ts";
import { limits } from "./limits.ts";
import * as queries from "./queries.ts";
import type { RedactRule, RequestBody, Settings, UpdateSettings } from "./schema.ts";

type Fields = Omit<queries.SettingsRow, "version">;

export async function readSettings(context: Context, workspaceId: string): Promise<Settings> {
  await expectVisibleWorkspace(context, workspaceId);
  const row = await queries.findSettings(context.db, context.who.organizationId, workspaceId);
  const settings = present(row ?? neverSet(workspaceId));
  if (mayManageWorkspaces(context)) return settings;
  return { ...settings, redact: settings.redact.map(withoutWord) };
}

/** People who work there see that words are taken out, and not which. */
const withoutWord = (rule: RedactRule): RedactRule =>
  rule.type === "word" ? { ...rule, word: hiddenWord } : rule;
const hiddenWord = "[hidden]";

export async function updateSettings(
  context: Context,
  workspaceId: string,
  body: UpdateSettings,
): Promise<Settings> {
  const { db, clock, who } = context;
  const settings = await db.tx(async (tx) => {
    const { before, isArchived } = await lockSettings(tx, context, workspaceId);
    if (isArchived && body.enabled === true)
      throw invalid(`The workspace ${workspaceId} is archived: it has no requests to keep.`);
    const after: Fields = {
      ...before,
      enabled: body.enabled ?? before.enabled,
      maxBytes: body.max_bytes ?? before.maxBytes,
      keptDays: body.kept_days ?? before.keptDays,
      redact: body.redact ?? before.redact,
    };
    const changed = changes(before, after);
    if (Object.keys(changed).length === 0) return after;
    await queries.putSettings(tx, who.organizationId, after, clock.now());
    await recordSettings(tx, context, "updated", workspaceId, changed);
    return after;
  });
  await bodyKeeperOf(context).changed();
  return present(settings);
}

/** What is on its way at this moment goes as well: it began before. */
export async function deleteKept(context: Context, workspaceId: string) {
  const { db, clock, who } = context;
  const before = clock.now();
  await db.tx(async (tx) => {
    const { before: settings } = await lockSettings(tx, context, workspaceId);
    const fields = { ...settings, keptSince: before };
    await queries.putSettings(tx, who.organizationId, fields, before);
    await recordSettings(tx, context, "deleted", workspaceId, {});
  });
  let deleted = 0;
  for (let round = 0; round < limits.deletingRoundsMax; round++) {
    const rows = limits.deletedAtOnce;
    const count = await queries.deleteBefore(db, workspaceId, { before, rows });
    deleted += count;
    if (count < rows) break;
  }
  return { type: "request_bodies_deleted" as const, workspace_id: workspaceId, deleted };
}

/** Changes of one organization's workspaces come one at a time. */
async function lockSettings(tx: Tx, context: Context, workspaceId: string) {
  const { organizationId } = context.who;
  await lockOrganization(tx, organizationId);
  const workspace = await expectVisibleWorkspace(context, workspaceId, tx);
  expectMayManageWorkspaces(context);
  const row = await queries.findSettings(tx, organizationId, workspaceId);
  return { before: row ?? neverSet(workspaceId), isArchived: workspace.archived_at !== null };
}

const neverSet = (workspaceId: string): Fields => ({
  workspaceId,
  enabled: false,
  maxBytes: limits.bytesDefault,
  keptDays: limits.keptDaysDefault,
  redact: [],
  keptSince: null,
});

/** Rule RBD9. Written down before anything is shown; where nothing is kept, there is nothing to look at. */
export async function readBody(context: Context, requestId: string): Promise<Reply> {
  const { db, clock, secrets, who } = context;
  const { organizationId } = who;
  const at = timeOfId(requestId);
  const look = { id: requestId, at, now: clock.now() };
  const row = await queries.findBody(db, organizationId, look);
  if (row === undefined)
    throw notFound("kept body of the request", requestId, { code: "request_body_not_kept" });
  await db.tx((tx) =>
    recordByCaller(tx, context, {
      action: "request_body.read",
      target: { type: "request", id: requestId },
      details: { workspace_id: row.workspaceId },
    }),
  );
  const opened =
    row.sealed === null
      ? { request: null, answer: null, error: null, ended: null }
      : openBody(secrets, row.sealed, { organizationId, requestId });
  const body: RequestBody = {
    id: requestId,
    type: "request_body",
    at: at.toISOString(),
    expires_at: new Date(at.getTime() + row.keptDays * limits.dayMs).toISOString(),
    workspace_id: row.workspaceId,
    ...opened,
  };
  return json(body, { "cache-control": "no-store" });
}

/** What the audit log keeps: no words, for they may be what must not be seen. */
function changes(before: Fields, after: Fields): Record<string, unknown> {
  const shown = ({ enabled, maxBytes, keptDays, redact }: Fields) => ({
    enabled,
    max_bytes: maxBytes,
    kept_days: keptDays,
    redact: redact.map(ruleInWords),
  });
  const [old, fresh] = [shown(before), shown(after)];
  const words = JSON.stringify(before.redact) !== JSON.stringify(after.redact);
  const names = Object.keys(fresh) as (keyof typeof fresh)[];
  const changed = names.filter((name) =>
    name === "redact" ? words : JSON.stringify(old[name]) !== JSON.stringify(fresh[name]),
  );
  return Object.fromEntries(
    changed.flatMap((name) => [
      [name, fresh[name]],
      [`${name}_before`, old[name]],
    ]),
  );
}

const ruleInWords = (rule: RedactRule) =>
  rule.type === "field" ? `field ${rule.field}` : rule.type;

const recordSettings = (
  tx: Tx,
  context: Context,
  verb: string,
  workspaceId: string,
  details: Record<string, unknown>,
) =>
  recordByCaller(tx, context, {
    action: `request_bodies.${verb}`,
    target: { type: "workspace", id: workspaceId },
    details,
  });

const present = (row: Fields): Settings => ({
  type: "request_body_settings",
  workspace_id: row.workspaceId,
  enabled: row.enabled,
  max_bytes: row.maxBytes,
  kept_days: row.keptDays,
  redact: row.redact,
  kept_since: row.keptSince?.toISOString() ?? null,
});
