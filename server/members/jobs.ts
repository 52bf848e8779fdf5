// Background work of members: invites that have expired, and the mail.
import type { World } from "../../kernel/context.ts";
import { everyHour, repeated } from "../../kernel/jobs/repeated.ts";
import type { JobKind } from "../../kernel/jobs/run.ts";
import { mailKind } from "./invites/mail.ts";
import { lockMembership } from "./users/queries.ts";
import { listOrganizationsWithDue } from "./invites/queries.ts";
import { expireDueInvites } from "./seats/allocation.ts";

/** Safe to run twice: an expired invite is due no more. One transaction for each organization's lock. */
const sweep = repeated<World>({
  kind: "members.sweep",
  timing: everyHour,
  run: async ({ db, clock }, run) => {
    const now = clock.now();
    for (const { organization_id: id } of await listOrganizationsWithDue(db, now))
      await db.tx(async (tx) => {
        await run.fence(tx);
        await lockMembership(tx, id);
        await expireDueInvites(tx, id, now);
      });
    await db.tx((tx) => run.finish(tx));
  },
});

export const kinds: readonly JobKind<World>[] = [mailKind, sweep.kind];
export const schedules = [sweep.schedule];
