// One workspace: what it is, what it spends, who belongs to it, and its keys.
import { useQuery } from "@tanstack/react-query";
import { Link, useParams } from "@tanstack/react-router";
import { Archive, ArrowLeft, Pencil } from "lucide-react";
import { useState, type ReactNode } from "react";
import { ArchiveWorkspace } from "./workspace-archive.tsx";
import { WorkspaceForm } from "./workspace-form.tsx";
import { useLast } from "../kit/form/last.ts";
import { shareOf } from "../limits/limits.ts";
import { percent, unitsText } from "../kit/value/money.ts";
import { useMe } from "../kit/server/queries.ts";
import {
  isDefaultOf,
  placesText,
  placeWord,
  standing,
  workspaceQueries,
  type Workspace,
} from "./workspaces.ts";
import { ActMenu } from "../kit/list/act-menu.tsx";
import { Badge } from "../kit/value/badge.tsx";
import { Button } from "../kit/page/button.tsx";
import { CopyButton } from "../kit/value/copy-button.tsx";
import { Dialog } from "../kit/form/dialog.tsx";
import { Card, PageHeader, Section } from "../kit/page/page-header.tsx";
import { RowsSkeleton } from "../kit/page/skeleton.tsx";
import { Tags, YourRole } from "./tags.tsx";
import { Time } from "../kit/value/time.tsx";
import { TroubleBox } from "../kit/page/trouble-box.tsx";
import { WorkspaceDot } from "./workspace-dot.tsx";
import { WorkspaceKeys } from "./workspace-keys.tsx";
import { WorkspaceMembers } from "./workspace-members.tsx";

export function Page() {
  const { id = "" } = useParams({ strict: false }) as { id?: string };
  const { data: workspace, error, refetch } = useQuery(workspaceQueries.one(id));
  return (
    <>
      <Link
        to="/workspaces"
        className="mb-3 inline-flex items-center gap-1.5 text-sm text-soft hover:text-ink max-md:min-h-10"
      >
        <ArrowLeft size={15} aria-hidden />
        All workspaces
      </Link>
      <PageHeader
        title={workspace?.name ?? "Workspace"}
        actions={workspace !== undefined && <Acts workspace={workspace} />}
      >
        {workspace !== undefined && <Standing workspace={workspace} />}
      </PageHeader>
      {error !== null && <TroubleBox error={error} retry={() => void refetch()} />}
      {error === null && workspace === undefined && <RowsSkeleton />}
      {workspace !== undefined && <Parts workspace={workspace} />}
    </>
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
      <Facts workspace={workspace} />
      {!isHome && (
        <WorkspaceMembers key={id} workspace={id} mayManage={mayManage && archived === null} />
      )}
      {maySeeKeys && archived === null && <WorkspaceKeys workspace={id} />}
    </>
  );
}

function Facts({ workspace }: { workspace: Workspace }) {
  const { id, tags, created_at: created, data_residency: residency } = workspace;
  const isOpen = residency.allowed_inference_geos === "unrestricted";
  return (
    <Section title="About">
      <Card>
        <dl className="grid gap-x-6 gap-y-3 sm:grid-cols-[auto_1fr]">
          <Fact name="Id">
            <span className="inline-flex flex-wrap items-center gap-2">
              <code className="font-mono text-sm break-all">{id}</code>
              <CopyButton text={id} label="Copy id" />
            </span>
          </Fact>
          <Fact name="Created">
            <Time at={created} />
          </Fact>
          <Fact name="Tags">
            <Tags tags={tags} most={50} />
          </Fact>
          <Fact name="Inference">
            {placesText(workspace)}
            <span className="block text-sm text-soft">
              {isOpen
                ? "Requests may name any inference_geo. Which machine answers is the operator's choice of upstream."
                : `A request that names another inference_geo is refused. The default is ${placeWord(residency.default_inference_geo)}.`}
            </span>
          </Fact>
          <Spend id={id} />
        </dl>
      </Card>
    </Section>
  );
}

/** Left out for those who may not see it. */
function Spend({ id }: { id: string }) {
  const { data } = useQuery(workspaceQueries.spend(id));
  const [limit] = data?.data ?? [];
  if (limit === undefined) return null;
  const share = shareOf(limit);
  return (
    <Fact name="This month">
      {unitsText(limit.period_to_date_spend)} spent
      {limit.amount === null ? (
        <span className="text-soft">, without a limit of its own</span>
      ) : (
        ` of ${unitsText(limit.amount)}${share === undefined ? "" : ` (${percent(share.spent)})`}`
      )}
    </Fact>
  );
}

function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div className="contents">
      <dt className="text-soft">{name}</dt>
      <dd className="min-w-0 max-sm:mb-2">{children}</dd>
    </div>
  );
}

function Acts({ workspace }: { workspace: Workspace }) {
  const me = useMe();
  const [act, setAct] = useState<"edit" | "archive">();
  const shown = useLast(act);
  if (!standing(me, workspace.id).mayChange || workspace.archived_at !== null) return null;
  const close = () => setAct(undefined);
  return (
    <div className="flex items-center gap-2">
      <Button onClick={() => setAct("edit")}>
        <Pencil size={16} aria-hidden />
        Edit
      </Button>
      {!isDefaultOf(me, workspace.id) && (
        <ActMenu
          label="More for this workspace"
          acts={[{ label: "Archive", icon: Archive, isBad: true, run: () => setAct("archive") }]}
        />
      )}
      <Dialog
        open={act !== undefined}
        onClose={close}
        title={shown === "archive" ? "Archive this workspace for ever?" : "Edit the workspace"}
      >
        {act === "edit" && <WorkspaceForm workspace={workspace} onClose={close} />}
        {shown === "archive" && <ArchiveWorkspace workspace={workspace} onClose={close} />}
      </Dialog>
    </div>
  );
}
