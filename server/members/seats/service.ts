// The pool of seats as the console shows and sets it.
import { invalid, notFound } from "../../../kernel/base/failure.ts";
import { cleanName } from "../../../kernel/base/name.ts";
import type { Context } from "../../../kernel/context.ts";
import type { Queryable, Tx } from "../../../kernel/sql/database.ts";
import * as audit from "../../audit/module.ts";
import type { Seats, SetSeats } from "../schema-console.ts";
import { expireOverdueInvites } from "../invites/service.ts";
import { memberOr404 } from "../users/membership.ts";
import { lockMembership, setSeat } from "../users/queries.ts";
import * as queries from "./queries.ts";
import { limits } from "../limits.ts";
import { expireDueInvites } from "./allocation.ts";

export async function readSeats(context: Context): Promise<Seats> {
  await expireOverdueInvites(context);
  return seatsOf(context.db, context.who.organizationId);
}

async function seatsOf(from: Queryable, organizationId: string): Promise<Seats> {
  const tiers = await queries.listTiers(from, organizationId);
  return {
    tiers: tiers.map(({ id, name, seats, taken }) => ({
      id,
      type: "seat_tier" as const,
      name,
      seats,
      taken,
    })),
  };
}

/** Rule USR27: the whole pool, lowest tier first. Members keep the seats that they hold. */
export async function setSeats(context: Context, input: SetSeats): Promise<Seats> {
  const { db, clock, who } = context;
  const { organizationId } = who;
  const wanted = cleaned(input);
  return db.tx(async (tx) => {
    await lockMembership(tx, organizationId);
    await expireDueInvites(tx, organizationId, clock.now());
    const before = await queries.listTiers(tx, organizationId);
    if (wanted.length === 0) await giveUp(tx, organizationId, before);
    else await change(tx, context, before, wanted);
    const seats = await seatsOf(tx, organizationId);
    await audit.recordByCaller(tx, context, {
      action: "seats.changed",
      target: { type: "organization", id: organizationId },
      details: {
        tiers: seats.tiers.map(({ name, seats: count }) => ({ name, seats: count })),
        tiers_before: before.map(({ name, seats: count }) => ({ name, seats: count })),
      },
    });
    return seats;
  });
}

function cleaned({ tiers }: SetSeats): SetSeats["tiers"] {
  const named = tiers.map((tier, index) => ({
    ...tier,
    name: cleanName(`tiers[${index}].name`, tier.name, limits.tierNameCharactersMax),
  }));
  const names = named.map(({ name }) => name.toLowerCase());
  const twice = named.find((_, index) => names.indexOf(names[index] ?? "") < index);
  if (twice !== undefined) throw invalid(`tiers: the name ${twice.name} is there twice.`);
  const ids = named.flatMap(({ id }) => id ?? []);
  if (new Set(ids).size < ids.length) throw invalid("tiers: a tier is there twice.");
  return named;
}

async function giveUp(tx: Tx, organizationId: string, before: queries.TierRow[]): Promise<void> {
  await queries.clearSeats(tx, organizationId);
  for (const { id } of before) await queries.deleteTier(tx, organizationId, id);
}

async function change(
  tx: Tx,
  { ids, who }: Context,
  before: queries.TierRow[],
  wanted: SetSeats["tiers"],
): Promise<void> {
  const { organizationId } = who;
  for (const { id } of wanted)
    if (id !== undefined && !before.some((tier) => tier.id === id)) throw notFound("seat tier", id);
  for (const tier of before) {
    const after = wanted.find(({ id }) => id === tier.id);
    if ((after?.seats ?? 0) < tier.taken)
      throw invalid(
        `tiers: ${tier.taken} seats of ${tier.name} are held, so it cannot have ${after?.seats ?? 0}. Remove members, withdraw invites or move people to another tier first.`,
      );
    if (after === undefined) await queries.deleteTier(tx, organizationId, tier.id);
  }
  for (const [position, { id, name, seats }] of wanted.entries())
    if (id === undefined)
      await queries.insertTier(tx, organizationId, {
        id: ids.next("seat_"),
        name,
        position,
        seats,
      });
    else await queries.updateTier(tx, organizationId, { id, name, position, seats });
  if (before.length === 0) await seatEverybody(tx, organizationId);
}

/** A first pool is refused unless it holds all members and pending invites. */
async function seatEverybody(tx: Tx, organizationId: string): Promise<void> {
  const needed = await queries.countUnseated(tx, organizationId);
  const tiers = await queries.listTiers(tx, organizationId);
  const given = tiers.reduce((sum, { seats }) => sum + seats, 0);
  if (given < needed)
    throw invalid(
      `tiers: members and pending invites hold ${needed} seats together; ${given} are not enough.`,
    );
  for (const { id, seats } of tiers) {
    const members = await queries.giveSeatsToMembers(tx, organizationId, id, seats);
    const invites = await queries.giveSeatsToInvites(tx, organizationId, id, seats - members);
    await queries.addTaken(tx, organizationId, id, members + invites);
  }
}

/** Rule USR27: from one tier to another with a free seat. */
export async function moveSeat(context: Context, userId: string, tierId: string): Promise<Seats> {
  const { db, who } = context;
  const { organizationId } = who;
  return db.tx(async (tx) => {
    await lockMembership(tx, organizationId);
    const member = await memberOr404(tx, organizationId, userId);
    const tiers = await queries.listTiers(tx, organizationId);
    const tier = tiers.find(({ id }) => id === tierId);
    if (tier === undefined) throw notFound("seat tier", tierId);
    if (member.seat_tier_id === tierId) return seatsOf(tx, organizationId);
    if (tier.taken >= tier.seats)
      throw invalid(`tier_id: all ${tier.seats} seats of ${tier.name} are held.`, {
        code: "no_seat_available",
      });
    if (member.seat_tier_id !== null)
      await queries.addTaken(tx, organizationId, member.seat_tier_id, -1);
    await queries.addTaken(tx, organizationId, tierId, 1);
    await setSeat(tx, organizationId, userId, tierId);
    const from = tiers.find(({ id }) => id === member.seat_tier_id)?.name ?? null;
    await audit.recordByCaller(tx, context, {
      action: "user.seat_changed",
      target: { type: "user", id: userId },
      details: { tier: tier.name, tier_before: from },
    });
    return seatsOf(tx, organizationId);
  });
}
