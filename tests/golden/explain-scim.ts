// The hot statements of SCIM and of what an identity provider controls. Pages of all people: explain-people.test.ts.
import type { Queryable } from "../../kernel/sql/database.ts";
import { empty } from "../../kernel/sql/statement.ts";
import { readFilter } from "../../server/scim/filter.ts";
import { andFilter } from "../../server/scim/queries-filter.ts";
import * as groups from "../../server/scim/groups/queries.ts";
import * as memberships from "../../server/scim/groups/queries-memberships.ts";
import * as requests from "../../server/scim/console/queries-requests.ts";
import * as tokens from "../../server/scim/console/queries-tokens.ts";
import * as users from "../../server/scim/people/queries.ts";
import * as control from "../../server/identity_provider/queries-control.ts";

const people = (text: string) => andFilter(readFilter(text), users.userColumns);
const byName = andFilter(readFilter('displayName eq "a"'), groups.groupColumns);
const page = { from: "a", filter: empty, rows: 101 };

export const scimStatements: Record<string, (on: Queryable) => Promise<unknown>> = {
  "scim: by secret": (on) => tokens.findBySecret(on, Buffer.alloc(32)),
  "scim: a place among people": (on) => users.userAt(on, "org", { filter: empty, skip: 5_000 }),
  "scim: how many people": (on) => users.countUsers(on, "org", empty),
  "scim: somebody by userName": (on) =>
    users.listUsers(on, "org", { ...page, filter: people('userName eq "a"') }),
  "scim: somebody by external id": (on) =>
    users.listUsers(on, "org", { ...page, filter: people('externalId eq "a"') }),
  "scim: somebody by e-mail": (on) =>
    users.listUsers(on, "org", { ...page, filter: people('emails.value eq "a"') }),
  "scim: a page of groups": (on) => groups.listGroups(on, "org", page),
  "scim: a group by name": (on) => groups.listGroups(on, "org", { ...page, filter: byName }),
  "scim: groups of people": (on) => memberships.listGroupsOf(on, "org", ["a", "b"]),
  "scim: members of groups": (on) => memberships.listMembers(on, "org", ["a", "b"], 1_000),
  "scim: last requests": (on) => requests.listRequests(on, "org", 100),
  "identity provider: what it controls": (on) => control.findProvider(on, "org"),
  "identity provider: whose domain": (on) => control.findCapture(on, "example.com"),
};
