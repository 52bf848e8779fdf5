// One version beside another: what changed, who changed it, and the ways back.
import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { useNavigate, useParams } from "@tanstack/react-router";
import { ChevronDown, ChevronUp } from "lucide-react";
import type { MemoryVersion } from "../../kit/server/api.ts";
import { bytesText } from "../../kit/value/sizes.ts";
import { useCommands } from "../../kit/page/commands.ts";
import { BackLink } from "../../kit/page/detail-page.tsx";
import { memoryQueries } from "../memory-queries.ts";
import { useSearchState } from "../../kit/page/search.ts";
import { exactTime } from "../../kit/value/time.ts";
import { useWorkspace, useWorkspaceOf } from "../../kit/server/workspace.ts";
import { VersionActs } from "./version-acts.tsx";
import { ActorName } from "../../kit/value/actor.tsx";
import { Badge } from "../../kit/value/badge.tsx";
import { IconButton } from "../../kit/page/button.tsx";
import { Operation } from "./memory-timeline.tsx";
import { Fact } from "../../kit/value/facts.tsx";
import { Card, PageHeader } from "../../kit/page/page-header.tsx";
import { RowsSkeleton } from "../../kit/page/skeleton.tsx";
import { queryClient } from "../../kit/server/queries.ts";
import { Time } from "../../kit/value/time.tsx";
import { TroubleBox } from "../../kit/page/trouble-box.tsx";
import { VersionCompare } from "./version-compare.tsx";

export function Page() {
  const { id: store = "", version: id = "" } = useParams({ strict: false }) as {
    id?: string;
    version?: string;
  };
  const { id: workspace, search: home } = useWorkspace();
  const [{ memory, with: other }, change] = useSearchState();
  const place = { workspace, store };
  const read = useQuery(memoryQueries.version(workspace, store, id));
  const { isLooking } = useWorkspaceOf(id, read, (other) =>
    queryClient.fetchQuery(memoryQueries.version(other, store, id)),
  );
  const { data, refetch } = read;
  const error = isLooking ? null : read.error;
  return (
    <div data-wide>
      <BackLink
        to="/memory/$id/history"
        params={{ id: store }}
        search={{ ...home, memory }}
        label={memory === undefined ? "History of the store" : "History of the memory"}
      />
      <PageHeader
        title={data?.path ?? (data === undefined ? "Version" : "Redacted version")}
        actions={
          <div className="flex flex-wrap items-center gap-2">
            {data !== undefined && <VersionActs place={place} version={data} />}
            <Steps place={place} id={id} memory={memory} />
          </div>
        }
      >
        <span className="font-mono text-sm">{id}</span>
      </PageHeader>
      {error !== null && <TroubleBox error={error} retry={() => void refetch()} />}
      {error === null && data === undefined && <RowsSkeleton />}
      {data !== undefined && (
        <div className="grid gap-4">
          <Facts version={data} />
          <VersionCompare
            key={data.id}
            place={place}
            version={data}
            other={other}
            onOther={(next) => change({ with: next })}
          />
        </div>
      )}
    </div>
  );
}

function Facts({ version }: { version: MemoryVersion }) {
  const { created_at: at, content_size_bytes: bytes, redacted_at: redacted } = version;
  return (
    <Card className="grid gap-3">
      <dl className="flex flex-wrap gap-x-8 gap-y-2">
        <Fact name="What">
          <Operation version={version} />
        </Fact>
        <Fact name="Who">
          <ActorName actor={version.created_by} />
        </Fact>
        <Fact name="When">
          <Time at={at} /> <span className="text-sm font-normal text-soft">{exactTime(at)}</span>
        </Fact>
        {bytes !== null && <Fact name="Size">{bytesText(bytes)}</Fact>}
        {version.content_sha256 !== null && (
          <Fact name="SHA-256">
            <span className="font-mono text-sm" title={version.content_sha256}>
              {version.content_sha256.slice(0, 12)}…
            </span>
          </Fact>
        )}
        {version.imported_at !== null && (
          <Fact name="Imported">
            <Time at={version.imported_at} /> <ActorName actor={version.imported_by} />
          </Fact>
        )}
      </dl>
      {redacted !== null && <Redaction version={version} />}
    </Card>
  );
}

/** What is left of it, and why. */
function Redaction({ version }: { version: MemoryVersion }) {
  return (
    <div className="grid gap-1 border-t border-line pt-3">
      <p className="flex flex-wrap items-center gap-x-2">
        <Badge tone="warn">Redacted</Badge>
        <Time at={version.redacted_at} /> by <ActorName actor={version.redacted_by} />
      </p>
      <p className="wrap-anywhere">{version.redaction_reason ?? "No reason was given."}</p>
    </div>
  );
}

/** To the versions beside it in the list that one came from. */
function Steps({
  place: { workspace, store },
  id,
  memory,
}: {
  place: { workspace: string | undefined; store: string };
  id: string;
  memory: string | undefined;
}) {
  const { search: home } = useWorkspace();
  const navigate = useNavigate();
  const list = useInfiniteQuery(memoryQueries.versions(workspace, store, { memory }));
  const ids = (list.data?.pages ?? []).flatMap(({ data }) => data.map(({ id }) => id));
  const at = ids.indexOf(id);
  const [newer, older] = [at > 0 ? ids[at - 1] : undefined, at === -1 ? undefined : ids[at + 1]];
  const go = (version: string | undefined) => {
    if (version === undefined) return;
    void navigate({
      to: "/memory/$id/history/$version",
      params: { id: store, version },
      search: { ...home, memory },
    });
  };
  const back = () =>
    void navigate({
      to: "/memory/$id/history",
      params: { id: store },
      search: { ...home, memory },
    });
  const press = (selector: string) => () => document.querySelector<HTMLElement>(selector)?.click();
  const onPage = { group: "This page", inPalette: false } as const;
  useCommands([
    { ...onPage, id: "version:older", label: "Older version", keys: "j", run: () => go(older) },
    { ...onPage, id: "version:newer", label: "Newer version", keys: "k", run: () => go(newer) },
    {
      ...onPage,
      id: "version:next",
      label: "Next change",
      keys: "n",
      run: press("[data-step=next]"),
    },
    {
      ...onPage,
      id: "version:previous",
      label: "Previous change",
      keys: "p",
      run: press("[data-step=previous]"),
    },
    { ...onPage, id: "version:back", label: "Back to the history", keys: "Escape", run: back },
  ]);
  return (
    <div className="flex">
      <IconButton
        label="Newer version (K)"
        disabled={newer === undefined}
        onClick={() => go(newer)}
      >
        <ChevronUp size={16} aria-hidden />
      </IconButton>
      <IconButton
        label="Older version (J)"
        disabled={older === undefined}
        onClick={() => go(older)}
      >
        <ChevronDown size={16} aria-hidden />
      </IconButton>
    </div>
  );
}
