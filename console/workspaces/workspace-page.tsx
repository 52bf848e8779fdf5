// One workspace: what it is, what it spends and may spend, what runs in it, who belongs to it, and its keys.
import { useQuery } from "@tanstack/react-query";
import { Section } from "../kit/page/page-header.tsx";
import { useMe } from "../kit/server/queries.ts";
import { Badge } from "../kit/value/badge.tsx";
import { FactRow, Facts, IdRow } from "../kit/value/facts.tsx";
import { SpentOf } from "../kit/value/money.tsx";
import { Time } from "../kit/value/time.tsx";
import { LastUse } from "../object-page/last-use.tsx";
import { ObjectPage } from "../object-page/object-page.tsx";
import { KeptBodies } from "./kept-bodies/kept-bodies.tsx";
import { Tags, YourRole } from "./tags.tsx";
import { workspaceActs } from "./workspace-acts.tsx";
import { WorkspaceDot } from "./workspace-dot.tsx";
import { UnderWay } from "./under-way.tsx";
import { WorkspaceKeys } from "./workspace-keys.tsx";
import { WorkspaceMembers } from "./workspace-members.tsx";
import {
  isDefaultOf,
  placesText,
  placeWord,
  standing,
  workspaceQueries,
  type Workspace,
} from "./workspaces.ts";
import { useIdOfPage } from "../kit/page/page-id.ts";

export function Page() {
  const id = useIdOfPage();
  const me = useMe();
  return (
    <ObjectPage
      back={{ to: "/workspaces", label: "All workspaces" }}
      noun="Workspace"
      read={useQuery(workspaceQueries.one(id))}
      subject={{ kind: "workspace", id }}
      titleOf={({ name }) => name}
      aboutOf={(workspace) => <Standing workspace={workspace} />}
      actsOf={(workspace) => workspaceActs(workspace, me)}
      factsOf={(workspace) => <About workspace={workspace} />}
      ownOf={(workspace) => <Parts workspace={workspace} />}
      limitedOf={({ archived_at: archived }) =>
        archived === null ? { workspaceId: id } : undefined
      }
    />
  );
}

function Standing({ workspace }: { workspace: Workspace }) {
  const me = useMe();
  const { id, archived_at: archived, display_color: color } = workspace;
  return (
    <span className="inline-flex flex-wrap items-center gap-2 text-sm">
      <WorkspaceDot color={color} large />
      {isDefaultOf(me, id) && (
        <>
          <Badge tone="accent">Default</Badge>
          Everybody in the organization works in it.
        </>
      )}
      {archived === null && !isDefaultOf(me, id) && (
        <span>
          Your role: <YourRole id={id} />
        </span>
      )}
      {archived !== null && (
        <>
          <Badge>Archived</Badge>
          <Time at={archived} />: its keys have ended, and nothing in it changes any more.
        </>
      )}
    </span>
  );
}

function Parts({ workspace }: { workspace: Workspace }) {
  const me = useMe();
  const { id, archived_at: archived } = workspace;
  const { mayManage, maySeeKeys } = standing(me, id);
  const isHome = isDefaultOf(me, id);
  return (
    <>
      {archived === null && <UnderWay workspace={id} />}
      {!isHome && (
        <WorkspaceMembers key={id} workspace={id} mayManage={mayManage && archived === null} />
      )}
      {maySeeKeys && archived === null && <WorkspaceKeys workspace={id} />}
      {me.organization.type !== "platform_cloud" && <KeptBodies workspace={workspace} />}
    </>
  );
}

function About({ workspace }: { workspace: Workspace }) {
  const me = useMe();
  const { id, tags, created_at: created, data_residency: residency } = workspace;
  const isOpen = residency.allowed_inference_geos === "unrestricted";
  return (
    <Section title="About">
      <Facts>
        <IdRow id={id} />
        <FactRow name="Created">
          <Time at={created} />
        </FactRow>
        <FactRow name="Tags">
          <Tags tags={tags} most={50} />
        </FactRow>
        <FactRow name="Inference">
          {placesText(workspace)}
          <span className="block text-sm text-soft">
            {isOpen
              ? "Requests may name any inference_geo. Which machine answers is the operator's choice of upstream."
              : `A request that names another inference_geo is refused. The default is ${placeWord(residency.default_inference_geo)}.`}
          </span>
        </FactRow>
        <LastUse subject={{ kind: "workspace", id }} />
        {!me.permissions.includes("limits:read") && <Spend id={id} />}
      </Facts>
    </Section>
  );
}

/** Left out for those who may not see it. */
function Spend({ id }: { id: string }) {
  const { data } = useQuery(workspaceQueries.spend(id));
  const [limit] = data?.data ?? [];
  if (limit === undefined) return null;
  const { period_to_date_spend: spent, amount, reserved } = limit;
  return (
    <FactRow name="This month">
      <div className="max-w-md">
        <SpentOf
          spent={spent}
          limit={amount}
          reserved={reserved}
          without=", without a limit of its own"
        />
      </div>
    </FactRow>
  );
}
