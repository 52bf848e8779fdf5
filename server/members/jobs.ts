// Background work of members: invites that have expired, and the mail.
import type { World } from "../../kernel/context.ts";
import type { JobKind } from "../../kernel/jobs/run.ts";
import type { Schedule } from "../../kernel/jobs/schedules/schedules.ts";
import { mailKind } from "./invites/mail.ts";
import { lockMembership } from "./users/queries.ts";
import { listOrganizationsWithDue } from "./invites/queries.ts";
import { expireDueInvites } from "./seats/allocation.ts";

const sweep = "members.sweep";

/** Safe to run twice: an expired invite is due no more. One transaction for each organization's lock. */
export const kinds: readonly JobKind<World>[] = [
  mailKind,
  {
    kind: sweep,
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
  },
];

export const schedules: readonly Schedule[] = [
  {
    name: sweep,
    timing: { everyMs: 60 * 60 * 1000 },
    missed: "once",
    job: () => ({ kind: sweep, payload: {} }),
  },
];
