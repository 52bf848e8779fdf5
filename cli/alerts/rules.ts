// `plinth alerts rules`, `set` and `mail`.
import type {
  AlertRule,
  AlertRulesUpdateBody,
  AlertSettings,
  AlertSettingsUpdateBody,
} from "../../contract/types.ts";
import { askAsAdmin } from "../administration.ts";
import type { Flags } from "../options.ts";
import { escapeControls } from "../print-answer.ts";
import { printResult } from "../print-result.ts";
import { listTable } from "../table.ts";
import { CliError, exitCodes, type Terminal } from "../terminal.ts";
import type { Kind, MailFlags, RuleFlags, RuleNumber } from "./options.ts";

export async function rules(terminal: Terminal, flags: Flags): Promise<void> {
  const found = await askAsAdmin(terminal, flags, (client) => client.alert_rules.list());
  printResult(terminal, flags, found, () =>
    listTable(
      terminal,
      ["KIND", "STATE", "NUMBERS"],
      found.data.map((rule) => [rule.kind, rule.enabled ? "enabled" : "disabled", wordsOf(rule)]),
    ),
  );
}

/** As they are set: `percent 5, minutes 10, requests 20`. */
const wordsOf = (rule: AlertRule): string =>
  [
    rule.percents === undefined ? "" : `percents ${rule.percents.join(" ")}`,
    rule.percent === undefined ? "" : `percent ${rule.percent}`,
    rule.minutes === undefined ? "" : `minutes ${rule.minutes}`,
    rule.requests_min === undefined ? "" : `requests ${rule.requests_min}`,
    rule.failures_min === undefined ? "" : `failures ${rule.failures_min}`,
  ]
    .filter((words) => words !== "")
    .join(", ");

export async function setRule(terminal: Terminal, kind: Kind, flags: RuleFlags): Promise<void> {
  const body = bodyOf(flags);
  const params = { kind };
  const rule = await askAsAdmin(terminal, flags, (client) =>
    client.alert_rules.update({ params, body }),
  );
  printResult(
    terminal,
    flags,
    rule,
    () => `${rule.kind}: ${rule.enabled ? "on" : "off"}, ${wordsOf(rule)}\n`,
  );
}

function bodyOf({ on = false, off = false, percents, ...flags }: RuleFlags): AlertRulesUpdateBody {
  if (on && off) throw new CliError("Say --on or --off, not both.", exitCodes.usage);
  const numbers = {
    percent: flags.percent,
    minutes: flags.minutes,
    requests_min: flags.requests,
    failures_min: flags.failures,
  };
  const set = Object.entries(numbers).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, orDefault(value)] as const],
  );
  const body = {
    ...((on || off) && { enabled: on }),
    ...(percents !== undefined && { percents: percentsOf(percents) }),
    ...Object.fromEntries(set),
  };
  if (Object.keys(body).length === 0)
    throw new CliError(
      "Say what to set: --on, --off, --percents, --percent, --minutes, --requests or --failures.",
      exitCodes.usage,
    );
  return body;
}

const orDefault = (value: RuleNumber): number | null => (value === "default" ? null : value);

function percentsOf(texts: readonly string[]): number[] | null {
  if (texts.length === 1 && texts[0] === "default") return null;
  const wrong = texts.find((text) => !/^[1-9]\d{0,2}$/.test(text));
  if (wrong !== undefined)
    throw new CliError(
      `--percents takes whole numbers from 1 to 100, or default: not ${JSON.stringify(wrong)}.`,
      exitCodes.usage,
    );
  return texts.map(Number);
}

export async function mail(terminal: Terminal, flags: MailFlags): Promise<void> {
  const { to, administrators } = flags;
  const body: AlertSettingsUpdateBody = {
    ...(to !== undefined && { mail_to: to.length === 1 && to[0] === "none" ? [] : to }),
    ...(administrators !== undefined && { mail_administrators: administrators }),
  };
  const isChange = Object.keys(body).length > 0;
  const settings = await askAsAdmin(terminal, flags, (client) =>
    isChange ? client.alert_settings.update({ body }) : client.alert_settings.retrieve(),
  );
  printResult(terminal, flags, settings, () => recipientsOf(settings));
  if (flags.json === true) return;
  if (!settings.has_mail_server)
    terminal.note("No mail server is set in the settings file: nothing is mailed.\n");
  if (settings.mail_failure !== null)
    terminal.note(
      `A mail was given up at ${settings.mail_failure.at.slice(0, 19)}: ${escapeControls(settings.mail_failure.error)}\n`,
    );
}

function recipientsOf({ mail_administrators: all, mail_to: to }: AlertSettings): string {
  const lines = [...(all ? ["owners and administrators"] : []), ...to.map(escapeControls)];
  return lines.length === 0 ? "no address\n" : lines.map((line) => `${line}\n`).join("");
}
