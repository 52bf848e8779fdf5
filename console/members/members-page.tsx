// Members: who belongs to the organization, and who is invited.
import { Tabs } from "@base-ui/react/tabs";
import { useQuery } from "@tanstack/react-query";
import { UserPlus } from "lucide-react";
import { CreateButton, useNewCommand } from "../kit/list/list-page.tsx";
import { PageHeader } from "../kit/page/page-header.tsx";
import { useAskedFor, useSearchState } from "../kit/page/search.ts";
import { Tab } from "../kit/page/tab.tsx";
import { InviteList } from "./invites/invite-list.tsx";
import { inviteSomebody } from "./invites/invite.tsx";
import { MemberList } from "./member-list.tsx";
import { memberQueries } from "./member-queries.ts";

const noFilters = { q: undefined, role: undefined, status: undefined };

export function Page() {
  const [{ tab }, change] = useSearchState();
  const { data: acts } = useQuery(memberQueries.acts);
  const roles = acts?.invite_roles ?? [];
  const hasMail = acts?.mail === true;
  const run = () => inviteSomebody(roles, hasMail);
  const invite = roles.length > 0 ? { label: "Invite", icon: UserPlus, run } : undefined;
  useNewCommand(invite && { label: "Invite somebody", run, inPalette: false });
  useAskedFor(acts && { invite: invite?.run });
  return (
    <>
      <PageHeader title="Members" actions={invite && <CreateButton create={invite} />}>
        {acts?.invites_closed ??
          "Who belongs to this organization, and what each may do by their role."}
      </PageHeader>
      <Tabs.Root
        value={tab === "invites" ? "invites" : "members"}
        onValueChange={(next: string) =>
          change({ ...noFilters, tab: next === "invites" ? next : undefined })
        }
      >
        <Tabs.List className="mb-4 flex gap-1">
          <Tab value="members">Members</Tab>
          <Tab value="invites">Invites</Tab>
        </Tabs.List>
        <Tabs.Panel value="members">
          <MemberList />
        </Tabs.Panel>
        <Tabs.Panel value="invites">
          <InviteList hasMail={hasMail} invite={invite} />
        </Tabs.Panel>
      </Tabs.Root>
    </>
  );
}
