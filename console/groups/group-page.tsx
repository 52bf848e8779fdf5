// One group: its roles and its members.
import { useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { DetailPage } from "../kit/page/detail-page.tsx";
import { useMe } from "../kit/server/queries.ts";
import { Time } from "../kit/value/time.tsx";
import { groupActs } from "./group-acts.tsx";
import { GroupMembers } from "./group-members.tsx";
import { GroupRoles } from "./group-roles.tsx";
import { Source } from "./group-source.tsx";
import { groupQueries, type OneGroup } from "./groups.ts";
import { useIdOfPage } from "../kit/page/page-id.ts";

export function Page() {
  const id = useIdOfPage();
  const navigate = useNavigate();
  const toList = () => void navigate({ to: "/groups" });
  const writingOf = useWriting();
  return (
    <DetailPage
      back={{ to: "/groups", label: "All groups" }}
      noun="Group"
      read={useQuery(groupQueries.group(id))}
      titleOf={({ name }) => name}
      aboutOf={(group) => (
        <>
          <Source of={group} /> <span className="ml-1">Since </span>
          <Time at={group.created_at} />
        </>
      )}
      actsOf={(group) => (writingOf(group).mayWrite ? groupActs(group, toList) : [])}
      menuOf={({ name }) => `Change ${name}`}
    >
      {(group) => {
        const { mayWrite, why } = writingOf(group);
        return (
          <>
            {why !== undefined && (
              <p role="note" className="mb-6 rounded-lg bg-accent-soft p-3 text-accent">
                {why}
              </p>
            )}
            <GroupRoles group={group} />
            <GroupMembers group={group} mayWrite={mayWrite} />
          </>
        );
      }}
    </DetailPage>
  );
}

/** Whether name and members are changed here by this person, and if not, by whom. */
function useWriting(): (group: OneGroup) => { mayWrite: boolean; why?: string } {
  const { permissions } = useMe();
  const { data } = useQuery(groupQueries.roles);
  return ({ controlled_by: provider, role_ids: held }) => {
    if (provider !== null)
      return {
        mayWrite: false,
        why: `${provider} pushes this group: its name and its members are changed there. Which roles it has is set here.`,
      };
    const isOwners = data?.data.some(
      ({ id, grants_owner_access }) => grants_owner_access && held?.includes(id) === true,
    );
    const mayWrite = permissions.includes("groups:write");
    if (mayWrite && isOwners === true && !permissions.includes("roles:write"))
      return {
        mayWrite: false,
        why: "A role of this group gives owner access: owners add and remove its members.",
      };
    return { mayWrite };
  };
}
