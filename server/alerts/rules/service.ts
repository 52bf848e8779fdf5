// The rules of an organization, and whom it mails its alerts to.
import { invalid, notFound } from "../../../kernel/base/failure.ts";
import type { Context } from "../../../kernel/context.ts";
import type { Queryable } from "../../../kernel/sql/database.ts";
import { recordByCaller } from "../../audit/module.ts";
import { isMailSet } from "../../mail/module.ts";
import { alertKinds, defaults, limits, type AlertKind, type RuleNumbers } from "../limits.ts";
import type { AlertRule, AlertSettings, UpdateAlertRule, UpdateAlertSettings } from "../schema.ts";
import * as queries from "./queries.ts";
import type { RuleRow } from "./queries.ts";

export async function listRules({ db, who }: Context): Promise<{ data: AlertRule[] }> {
  const kinds = await kindsOf(db, who.organizationId);
  const rows = await queries.listRules(db, who.organizationId);
  return { data: kinds.map((kind) => present(rowOf(rows, kind))) };
}

export async function readRule({ db, who }: Context, kind: string): Promise<AlertRule> {
  const known = await kindOr404(db, who.organizationId, kind);
  return present(rowOf(await queries.listRules(db, who.organizationId), known));
}

/** Rules ALT1 and ALT6. */
export async function updateRule(
  context: Context,
  kind: string,
  body: UpdateAlertRule,
): Promise<AlertRule> {
  const { db, who, clock } = context;
  const { organizationId } = who;
  return db.tx(async (tx) => {
    const known = await kindOr404(tx, organizationId, kind);
    expectNumbersOf(known, body);
    await queries.lockOrganization(tx, organizationId);
    const before = rowOf(await queries.listRules(tx, organizationId), known);
    const { enabled = before.is_on, percents, ...numbers } = body;
    const row: RuleRow = {
      ...before,
      ...numbers,
      is_on: enabled,
      percents: percents === undefined ? before.percents : percents && inOrder(percents),
    };
    const [shownBefore, shown] = [present(before), present(row)];
    if (JSON.stringify(row) === JSON.stringify(before)) return shown;
    await queries.setRule(tx, organizationId, row, clock.now());
    await recordByCaller(tx, context, {
      action: "alert_rule.updated",
      target: { type: "alert_rule", id: known },
      details: { ...settingsOf(shown), before: settingsOf(shownBefore) },
    });
    return shown;
  });
}

const settingsOf = ({ type: _type, kind: _kind, is_default: _same, ...settings }: AlertRule) =>
  settings;

/** Rule ALT5: the queues are all organizations' together, and are watched by the first one. */
async function kindsOf(on: Queryable, organizationId: string): Promise<readonly AlertKind[]> {
  const isFirst = (await queries.findFirstOrganization(on)) === organizationId;
  return isFirst ? alertKinds : alertKinds.filter((kind) => kind !== "job_backlog");
}

async function kindOr404(on: Queryable, organizationId: string, kind: string): Promise<AlertKind> {
  const found = (await kindsOf(on, organizationId)).find((each) => each === kind);
  if (found === undefined) throw notFound("alert rule", kind);
  return found;
}

function expectNumbersOf(
  kind: AlertKind,
  { enabled: _enabled, ...numbers }: UpdateAlertRule,
): void {
  const known = Object.keys(defaults[kind]);
  const stray = Object.keys(numbers).find((name) => !known.includes(name));
  if (stray !== undefined)
    throw invalid(`${stray}: is no number of the rule ${kind}, which has ${known.join(", ")}.`);
  if (kind !== "job_backlog" && (numbers.minutes ?? 0) > limits.windowMinutesMax)
    throw invalid(`minutes: must be at most ${limits.windowMinutesMax} for the rule ${kind}.`);
}

const inOrder = (percents: readonly number[]) =>
  [...new Set(percents)].sort((one, other) => one - other);

const rowOf = (rows: readonly RuleRow[], kind: AlertKind): RuleRow =>
  rows.find((row) => row.kind === kind) ?? {
    kind,
    is_on: true,
    percents: null,
    percent: null,
    minutes: null,
    requests_min: null,
    failures_min: null,
  };

function present({ kind, is_on, ...row }: RuleRow): AlertRule {
  const own: RuleNumbers = defaults[kind];
  const numbers = Object.entries(own).map(([name, value]) => [
    name,
    row[name as keyof typeof row] ?? value,
  ]);
  return {
    type: "alert_rule",
    kind,
    enabled: is_on,
    is_default: is_on && Object.values(row).every((value) => value === null),
    ...(Object.fromEntries(numbers) as object),
  };
}

export async function readSettings(context: Context): Promise<AlertSettings> {
  const row = await queries.findSettings(context.db, context.who.organizationId);
  return presentSettings(context, row);
}

/** Rule ALT11. */
export async function updateSettings(
  context: Context,
  body: UpdateAlertSettings,
): Promise<AlertSettings> {
  const { db, who, clock } = context;
  const { organizationId } = who;
  return db.tx(async (tx) => {
    await queries.lockOrganization(tx, organizationId);
    const before = (await queries.findSettings(tx, organizationId)) ?? usual;
    const row = {
      ...before,
      mails_administrators: body.mail_administrators ?? before.mails_administrators,
      mail_to: body.mail_to === undefined ? before.mail_to : withoutTwins(body.mail_to),
    };
    const said = ({ mails_administrators, mail_to }: typeof row) => ({
      mail_administrators: mails_administrators,
      mail_to,
    });
    if (JSON.stringify(said(row)) !== JSON.stringify(said(before))) {
      await queries.setSettings(tx, organizationId, row, clock.now());
      await recordByCaller(tx, context, {
        action: "alert_settings.updated",
        target: { type: "organization", id: organizationId },
        details: { ...said(row), before: said(before) },
      });
    }
    return presentSettings(context, row);
  });
}

const usual: queries.SettingsRow = {
  mails_administrators: true,
  mail_to: [],
  mail_failed_at: null,
  mail_error: null,
};

/** Whatever the case of their letters. */
const withoutTwins = (addresses: readonly string[]): string[] => [
  ...new Map(addresses.map((address) => [address.toLowerCase(), address])).values(),
];

const presentSettings = (context: Context, row: queries.SettingsRow = usual): AlertSettings => ({
  type: "alert_settings",
  mail_administrators: row.mails_administrators,
  mail_to: row.mail_to,
  has_mail_server: isMailSet(context),
  mail_failure:
    row.mail_failed_at === null
      ? null
      : { at: row.mail_failed_at.toISOString(), error: row.mail_error ?? "" },
});
