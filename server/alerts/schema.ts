// Shapes of alerts, of their rules, and of whom they are mailed to.
import Type, { type Static } from "typebox";
import { cursorPage, cursorQuery } from "../../kernel/http/pages.ts";
import { closed } from "../../kernel/http/route.ts";
import { Email } from "../identity/module.ts";
import { alertKinds, limits } from "./limits.ts";

const Time = Type.String({ format: "date-time" });
const nullable = <T extends Parameters<typeof Type.Union>[0][number]>(type: T) =>
  Type.Union([type, Type.Null()]);
const Kind = Type.Enum([...alertKinds]);

export const Alert = Type.Object(
  {
    id: Type.String(),
    type: Type.Literal("alert"),
    kind: Kind,
    state: Type.Enum(["firing", "resolved"]),
    /** In one sentence, with the numbers of the last look. */
    summary: Type.String(),
    subject: Type.Object({
      type: Type.Enum(["organization", "workspace", "user", "upstream", "jobs", "batches"]),
      /** Of a workspace or person; of an upstream its name. */
      id: nullable(Type.String()),
      name: nullable(Type.String()),
    }),
    /** Of a spend limit. */
    period: nullable(Type.Enum(["daily", "weekly", "monthly"])),
    /** `spend`, `error_share`: percent. `upstream_down`: failed requests. `job_backlog`: minutes. */
    value: Type.Number(),
    threshold: Type.Number(),
    firing_since: Time,
    resolved_at: nullable(Time),
    /** `well`: it holds no more. `rule_off`: the rule was switched off. `silent`: the upstream was asked no more. */
    resolution: nullable(Type.Enum(["well", "rule_off", "silent"])),
  },
  { $id: "Alert" },
);
export type Alert = Static<typeof Alert>;
export const AlertPage = cursorPage(Alert);
export const AlertQuery = closed({
  ...cursorQuery,
  state: Type.Optional(Type.Enum(["firing", "resolved"])),
});
export type AlertQuery = Static<typeof AlertQuery>;
export const AlertParams = closed({ alert_id: Type.String({ minLength: 1, maxLength: 100 }) });

const Percent = Type.Integer({ minimum: 1, maximum: 100 });
const Percents = Type.Array(Percent, { minItems: 1, maxItems: limits.percentsMax });
const Minutes = Type.Integer({ minimum: 1, maximum: limits.backlogMinutesMax });
const RequestsMin = Type.Integer({ minimum: 1, maximum: limits.requestsMinMax });
const FailuresMin = Type.Integer({ minimum: 1, maximum: limits.failuresMinMax });

export const AlertRule = Type.Object(
  {
    type: Type.Literal("alert_rule"),
    kind: Kind,
    enabled: Type.Boolean(),
    /** It was never changed, or is again as it was. */
    is_default: Type.Boolean(),
    /** `spend`: each of them is an alert of its own. */
    percents: Type.Optional(Type.Array(Type.Integer())),
    /** `error_share`. */
    percent: Type.Optional(Type.Integer()),
    /** All but `spend`. */
    minutes: Type.Optional(Type.Integer()),
    /** `error_share`: fewer requests in the window say nothing. */
    requests_min: Type.Optional(Type.Integer()),
    /** `upstream_down`. */
    failures_min: Type.Optional(Type.Integer()),
  },
  { $id: "AlertRule" },
);
export type AlertRule = Static<typeof AlertRule>;
export const AlertRules = Type.Object({ data: Type.Array(AlertRule) });
export const AlertRuleParams = closed({ kind: Type.String({ minLength: 1, maxLength: 100 }) });

/** What is left out stays; null is the default again. */
export const UpdateAlertRule = closed({
  enabled: Type.Optional(Type.Boolean()),
  percents: Type.Optional(nullable(Percents)),
  percent: Type.Optional(nullable(Percent)),
  minutes: Type.Optional(nullable(Minutes)),
  requests_min: Type.Optional(nullable(RequestsMin)),
  failures_min: Type.Optional(nullable(FailuresMin)),
});
export type UpdateAlertRule = Static<typeof UpdateAlertRule>;

export const AlertSettings = Type.Object(
  {
    type: Type.Literal("alert_settings"),
    /** Owners and administrators of the organization. */
    mail_administrators: Type.Boolean(),
    mail_to: Type.Array(Type.String()),
    /** Whether the settings file names a mail server: without one no alert is mailed. */
    has_mail_server: Type.Boolean(),
    /** The last mail that was given up. */
    mail_failure: nullable(Type.Object({ at: Time, error: Type.String() })),
  },
  { $id: "AlertSettings" },
);
export type AlertSettings = Static<typeof AlertSettings>;
export const UpdateAlertSettings = closed({
  mail_administrators: Type.Optional(Type.Boolean()),
  /** The whole list. */
  mail_to: Type.Optional(Type.Array(Email, { maxItems: limits.recipientsMax })),
});
export type UpdateAlertSettings = Static<typeof UpdateAlertSettings>;
