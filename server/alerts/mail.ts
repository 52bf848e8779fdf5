// Alerts by e-mail: a job for each recipient, put in with what it tells, and repeated until a mail server takes it.
import { Failure } from "../../kernel/base/failure.ts";
import type { World } from "../../kernel/context.ts";
import { enqueueAll, type NewJob } from "../../kernel/jobs/jobs.ts";
import { jobLimits } from "../../kernel/jobs/limits.ts";
import type { JobKind, JobRun } from "../../kernel/jobs/run.ts";
import type { Tx } from "../../kernel/sql/database.ts";
import {
  attemptsMax,
  backoffMs,
  escaped,
  isMailSet,
  mailServerOf,
  send,
  silenceMs,
} from "../mail/module.ts";
import { findOrganization } from "../organizations/module.ts";
import { limits } from "./limits.ts";
import * as queries from "./queries.ts";
import { listRecipients, noteMailFailure } from "./rules/queries.ts";
import { summaryOf } from "./words.ts";

export const mailKindName = "alerts.mail";

export interface AlertEvent {
  alert: Pick<queries.NewAlert, "id" | "organizationId" | "kind">;
  event: "firing" | "resolved";
}

interface Payload {
  organization_id: string;
  to: string;
  event: AlertEvent["event"];
  alert_ids: readonly string[];
  /** Beside those. */
  more: number;
}

/** Rule ALT11. What one look found goes into one mail for each recipient and each of the two events. */
export async function enqueueMails(
  tx: Tx,
  world: Pick<World, "ids" | "hints" | "sections">,
  events: readonly AlertEvent[],
): Promise<void> {
  if (events.length === 0 || !isMailSet(world)) return;
  const organizationIds = [...new Set(events.map(({ alert }) => alert.organizationId))];
  const recipients = await listRecipients(tx, organizationIds, limits.administratorsMax);
  const jobs = recipients.flatMap(({ organizationId, addresses }) =>
    (["resolved", "firing"] as const).flatMap((event): NewJob[] => {
      const ids = events
        .filter((each) => each.event === event && each.alert.organizationId === organizationId)
        .map(({ alert }) => alert.id);
      if (ids.length === 0) return [];
      const told = ids.slice(0, limits.alertsPerMailMax);
      return addresses.map((to) => {
        const payload: Payload = {
          organization_id: organizationId,
          to,
          event,
          alert_ids: told,
          more: ids.length - told.length,
        };
        return { kind: mailKindName, payload, attemptsMax };
      });
    }),
  );
  const size = jobLimits.jobsPerEnqueueMax;
  for (let first = 0; first < jobs.length; first += size)
    await enqueueAll(tx, world, jobs.slice(first, first + size));
}

export const mailKind: JobKind<World> = {
  kind: mailKindName,
  backoffMs,
  timeoutMs: 3 * silenceMs,
  run: (world, run) => deliver(world, run as JobRun<Payload>),
};

async function deliver(world: World, run: JobRun<Payload>): Promise<void> {
  const { db, clock } = world;
  const { payload, attempt } = run.job;
  const { organization_id: organizationId, to } = payload;
  const server = mailServerOf(world);
  const organization = await findOrganization(db, organizationId);
  const alerts = await queries.findAlerts(db, organizationId, payload.alert_ids);
  if (server === undefined || organization === undefined || alerts.length === 0)
    return db.tx((tx) => run.finish(tx));
  const texts = mailTexts(payload, {
    alerts,
    organizationName: organization.name,
    publicUrl: world.publicUrl,
  });
  const error = await send(server, { to, ...texts });
  const isOver = error === undefined || error.isFinal || attempt >= run.job.attemptsMax;
  if (!isOver) throw new Failure("api_error", error.message);
  await db.tx(async (tx) => {
    await run.finish(tx);
    if (error !== undefined)
      await noteMailFailure(tx, organizationId, { error: error.message, at: clock.now() });
  });
}

interface MailFacts {
  alerts: readonly queries.AlertRow[];
  organizationName: string;
  publicUrl: string;
}

/** The sentences say what is known when the mail is made, which may be later than it happened. */
function mailTexts(
  { event, more }: Payload,
  { alerts, organizationName, publicUrl }: MailFacts,
): { subject: string; text: string; html: string } {
  const lines = alerts.map((alert) => `${summaryOf(alert)} ${timesOf(alert)}`);
  if (more > 0) lines.push(`And ${more} more.`);
  const word = event === "firing" ? "Alert" : "Resolved";
  const others = alerts.length + more - 1;
  const first = alerts[0] === undefined ? "" : summaryOf(alerts[0]);
  const also = others > 0 ? ` And ${others} more.` : "";
  const page = `${publicUrl}/console/alerts`;
  const rest = "Who is mailed, and what is told, is set on the same page.";
  return {
    subject: `${word} at ${organizationName}: ${first}${also}`,
    text: `${lines.join("\n")}\n\nAll alerts:\n${page}\n\n${rest}\n`,
    html: `<ul>
${lines.map((line) => `<li>${escaped(line)}</li>`).join("\n")}
</ul>
<p><a href="${escaped(page)}">All alerts</a></p>
<p>${escaped(rest)}</p>
`,
  };
}

const timeOf = (at: Date) => `${at.toISOString().slice(0, 16).replace("T", " ")} UTC`;

const timesOf = ({ firingSince, resolvedAt }: queries.AlertRow): string =>
  resolvedAt === null
    ? `(since ${timeOf(firingSince)})`
    : `(from ${timeOf(firingSince)} to ${timeOf(resolvedAt)})`;
