// Seats: which tier the next one comes from, and how one is returned. Always under the lock of the membership.
import { invalid } from "../../../kernel/base/failure.ts";
import type { Tx } from "../../../kernel/sql/database.ts";
import * as invites from "../invites/queries.ts";
import * as queries from "./queries.ts";

/** Rules USR20 and USR21: a seat of the lowest tier with a free one; null where seats are not counted. */
export async function takeSeat(tx: Tx, organizationId: string): Promise<string | null> {
  const tiers = await queries.listTiers(tx, organizationId);
  if (tiers.length === 0) return null;
  const free = tiers.find(({ seats, taken }) => taken < seats);
  if (free === undefined) throw noSeat(tiers);
  await queries.addTaken(tx, organizationId, free.id, 1);
  return free.id;
}

const noSeat = (tiers: readonly queries.TierRow[]) => {
  const seats = tiers.reduce((sum, tier) => sum + tier.seats, 0);
  return invalid(
    `No seat is free: all ${seats} are held by members and pending invites. Add seats in the console, withdraw an invite or remove a member.`,
    { code: "no_seat_available" },
  );
};

export async function returnSeat(
  tx: Tx,
  organizationId: string,
  tierId: string | null,
): Promise<void> {
  if (tierId !== null) await queries.addTaken(tx, organizationId, tierId, -1);
}

/** Rule USR17: expired invites return their seats before free seats are counted. */
export async function expireDueInvites(tx: Tx, organizationId: string, now: Date): Promise<void> {
  const returned = await invites.markDueInvitesExpired(tx, organizationId, now);
  for (const { seat_tier_id: id, seats } of returned)
    await queries.addTaken(tx, organizationId, id, -seats);
}
