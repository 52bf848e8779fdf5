// Shapes of the console's own acts on members and seats.
import Type, { type Static } from "typebox";
import { cursorPage, cursorQuery } from "../../kernel/http/pages.ts";
import { closed } from "../../kernel/http/route.ts";
import { Email, PersonName } from "../identity/module.ts";
import { limits } from "./limits.ts";
import { Id, nullable, Role, When } from "./schema.ts";

export const Member = Type.Object(
  {
    id: Type.String(),
    type: Type.Literal("member"),
    email: Type.String(),
    name: Type.String(),
    role: Role,
    added_at: When,
    seat_tier: nullable(Type.String()),
    /** What the viewer may do to this member. */
    may: Type.Object({
      roles: Type.Array(Role),
      remove: Type.Boolean(),
      sign_out: Type.Boolean(),
      setup_link: Type.Boolean(),
      receive_ownership: Type.Boolean(),
    }),
  },
  { $id: "Member" },
);
export type Member = Static<typeof Member>;

/** For a page of one member. */
export const MemberWithUse = Type.Object({
  ...Member.properties,
  /** By a sign-in of theirs that has not ended. */
  last_seen_at: nullable(When),
  /** With a key or token that they made. */
  last_key_use_at: nullable(When),
});

export const MemberQuery = closed({
  ...cursorQuery,
  role: Type.Optional(Role),
  /** How the e-mail or the name begins: one page. */
  q: Type.Optional(Type.String({ minLength: 1, maxLength: 254 })),
});
export type MemberQuery = Static<typeof MemberQuery>;
export const MemberPage = cursorPage(Member);
export const MemberDeleted = Type.Object({
  id: Type.String(),
  type: Type.Literal("member_deleted"),
});

/** What the viewer may do apart from acts on one member. */
export const MemberActs = Type.Object({
  /** Roles that the viewer may invite people with; none where people join by the identity provider. */
  invite_roles: Type.Array(Role),
  /** Why invites are closed. */
  invites_closed: nullable(Type.String()),
  mail: Type.Boolean(),
});

export const SetSeat = closed({ tier_id: Id });
export const Transfer = closed({ user_id: Id, email: Email });
export type Transfer = Static<typeof Transfer>;
export const Rename = closed({ name: PersonName });
export const Renamed = Type.Object({ id: Type.String(), name: Type.String() });

export const PeopleQuery = closed({
  ids: Type.Array(Id, { minItems: 1, maxItems: limits.peopleAskedMax }),
});
export const People = Type.Object({
  data: Type.Array(
    Type.Object({
      id: Type.String(),
      type: Type.Literal("person"),
      name: Type.String(),
      removed_at: nullable(When),
    }),
  ),
});

const Tier = { name: Type.String({ minLength: 1, maxLength: limits.tierNameCharactersMax }) };
const SeatCount = Type.Integer({ minimum: 0, maximum: limits.seatsMax });
export const Seats = Type.Object({
  /** Lowest first; none: seats are not counted. */
  tiers: Type.Array(
    Type.Object({
      id: Type.String(),
      type: Type.Literal("seat_tier"),
      ...Tier,
      seats: Type.Integer(),
      taken: Type.Integer(),
    }),
  ),
});
export type Seats = Static<typeof Seats>;
export const SetSeats = closed({
  tiers: Type.Array(closed({ id: Type.Optional(Id), ...Tier, seats: SeatCount }), {
    maxItems: limits.seatTiersMax,
  }),
});
export type SetSeats = Static<typeof SetSeats>;
