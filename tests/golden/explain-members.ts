// The hot statements of members and invites. Pages of all members: explain-people.test.ts, since an empty table has no
// index that is better than others for them.
import type { Queryable, Tx } from "../../kernel/sql/database.ts";
import * as invites from "../../server/members/invites/queries.ts";
import * as members from "../../server/members/users/queries.ts";

const now = new Date("2026-01-01T00:00:00Z");
const all = { emailPlain: null, roles: null };
const forward = { after: "user", before: null, rows: 21 };
const back = { after: null, before: "user", rows: 21 };
const listed = { ...all, statuses: ["pending", "accepted"] } as const;

export const memberStatements: Record<string, (on: Queryable) => Promise<unknown>> = {
  "members: by e-mail": (on) =>
    members.listMembers(on, "org", { ...all, emailPlain: "a@b.example" }, forward),
  "members: of roles": (on) =>
    members.listMembers(on, "org", { ...all, roles: ["admin", "owner"] }, forward),
  "members: found by how they begin": (on) => members.searchMembers(on, "org", "ad", 50),
  "members: names": (on) => members.listPeople(on, "org", ["one", "two"]),
  "members: who is invited already": (on) =>
    members.findMemberByPlainEmail(on, "org", "a@b.example"),
  "members: whether somebody else is there": (on) => members.isOnlyMember(on, "org", "user"),
  "invites: a page": (on) => invites.listInvites(on, "org", listed, forward),
  "invites: a page back": (on) => invites.listInvites(on, "org", listed, back),
  "invites: by e-mail": (on) =>
    invites.listInvites(on, "org", { ...listed, emailPlain: "a@b.example" }, forward),
  "invites: of roles": (on) =>
    invites.listInvites(on, "org", { ...listed, roles: ["user"] }, forward),
  "invites: pending to an address": (on) =>
    invites.findPendingByPlainEmail(on, "org", "a@b.example"),
  "invites: whether any is due": (on) => invites.hasDue(on, "org", now),
  "invites: due": (on) => invites.markDueInvitesExpired(on as Tx, "org", now),
  "invites: by link": (on) => invites.findInviteBySecret(on, Buffer.alloc(32)),
};
