// Invites by e-mail: a job after the commit, repeated until a mail server takes it.
import { Failure } from "../../../kernel/base/failure.ts";
import type { World } from "../../../kernel/context.ts";
import { enqueue } from "../../../kernel/jobs/jobs.ts";
import type { JobKind, JobRun } from "../../../kernel/jobs/run.ts";
import type { Tx } from "../../../kernel/sql/database.ts";
import {
  attemptsMax,
  backoffMs,
  escaped,
  mailServerOf,
  send,
  silenceMs,
} from "../../mail/module.ts";
import { findOrganization } from "../../organizations/module.ts";
import type { InviteLink } from "./links.ts";
import * as queries from "./queries.ts";

export const kind = "members.mail";

interface Payload {
  organization_id: string;
  invite_id: string;
  /** Encrypted: the queue keeps no secret that opens an account. */
  link: string;
  sha256: string;
}

export const linkContext = (inviteId: string) => `members.invite ${inviteId}`;

/** Rule USR24: after the commit, and never within a request. */
export async function enqueueInviteMail(
  tx: Tx,
  world: World,
  organizationId: string,
  inviteId: string,
  { link, sha256 }: InviteLink,
): Promise<void> {
  const at = world.clock.now();
  const mail = { secretSha256: sha256, status: "waiting", error: null, at } as const;
  await queries.setMail(tx, organizationId, inviteId, mail);
  const payload: Payload = {
    organization_id: organizationId,
    invite_id: inviteId,
    link: world.secrets.encrypt(link, linkContext(inviteId)),
    sha256: sha256.toString("hex"),
  };
  await enqueue(tx, world, { kind, payload, attemptsMax });
}

export const mailKind: JobKind<World> = {
  kind,
  backoffMs,
  timeoutMs: 3 * silenceMs,
  run: (world, run) => deliver(world, run as JobRun<Payload>),
};

async function deliver(world: World, run: JobRun<Payload>): Promise<void> {
  const { organization_id: organizationId, invite_id: id, ...payload } = run.job.payload;
  const settings = mailServerOf(world);
  const invite = await queries.findInvite(world.db, organizationId, id);
  const organization = await findOrganization(world.db, organizationId);
  const isWanted = invite?.status === "pending" && invite.expires_at > world.clock.now();
  if (settings === undefined || organization === undefined || !isWanted)
    return world.db.tx((tx) => run.finish(tx));
  const link = world.secrets.decrypt(payload.link, linkContext(id)).toString();
  const texts = mailTexts({ invite, organizationName: organization.name, link });
  const error = await send(settings, { to: invite.email, ...texts });
  const isOver = error === undefined || error.isFinal || run.job.attempt >= run.job.attemptsMax;
  await world.db.tx(async (tx) => {
    if (isOver) await run.finish(tx);
    else await run.fence(tx);
    await queries.setMail(tx, organizationId, id, {
      secretSha256: Buffer.from(payload.sha256, "hex"),
      status: error === undefined ? "sent" : isOver ? "failed" : "waiting",
      error: error?.message ?? null,
      at: world.clock.now(),
    });
  });
  if (!isOver) throw new Failure("api_error", error?.message ?? "");
}

interface MailFacts {
  invite: Pick<queries.InviteRow, "email" | "expires_at" | "invited_by_name">;
  organizationName: string;
  link: string;
}

function mailTexts({ invite, organizationName, link }: MailFacts) {
  const by = invite.invited_by_name === null ? "You were" : `${invite.invited_by_name} has`;
  const until = invite.expires_at.toISOString().slice(0, 10);
  const verb = invite.invited_by_name === null ? "invited" : "invited you";
  const opening = `${by} ${verb} to join ${organizationName} on Plinth.`;
  const rest = `The link works once, until ${until}, for ${invite.email}. If you did not expect it, do nothing.`;
  return {
    subject: `Join ${organizationName} on Plinth`,
    text: `${opening}\n\nAccept the invite:\n${link}\n\n${rest}\n`,
    html: `<p>${escaped(opening)}</p>
<p><a href="${escaped(link)}">Accept the invite</a></p>
<p>${escaped(rest)}</p>
`,
  };
}
