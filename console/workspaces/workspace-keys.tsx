// The newest keys of a workspace, with the way to all of them.
import { useInfiniteQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { KeyRound, Plus } from "lucide-react";
import { keyActs } from "../keys/key-acts.tsx";
import { keyColumns } from "../keys/key-columns.tsx";
import { actColumn } from "../kit/list/columns.tsx";
import { Table } from "../kit/list/table.tsx";
import type { Key } from "../kit/server/api.ts";
import { buttonClass } from "../kit/page/button.tsx";
import { EmptyState } from "../kit/list/empty-state.tsx";
import { Section } from "../kit/page/page-header.tsx";
import { RowsSkeleton } from "../kit/page/skeleton.tsx";
import { TroubleBox } from "../kit/page/trouble-box.tsx";
import { keyQueries } from "../keys/queries.ts";

const shownMax = 10;
const columns = [...keyColumns, actColumn(({ name }: Key) => name, keyActs)];

export function WorkspaceKeys({ workspace }: { workspace: string }) {
  const list = useInfiniteQuery(
    keyQueries.list({ workspace_id: workspace, status: ["active", "inactive", "expired"] }),
  );
  const rows = list.data?.pages[0]?.data ?? [];
  const make = (
    <Link to="/keys" search={{ workspace, new: "api" }} className={buttonClass()}>
      <Plus size={16} aria-hidden />
      Create key
    </Link>
  );
  return (
    <Section title="API keys" actions={rows.length > 0 && make}>
      {list.error !== null && <TroubleBox error={list.error} retry={() => void list.refetch()} />}
      {list.isPending && <RowsSkeleton />}
      {rows.length > 0 && (
        <Table
          label="API keys"
          columns={columns}
          rows={rows.slice(0, shownMax)}
          keyOf={({ id }) => id}
        />
      )}
      {rows.length > shownMax && (
        <p className="mt-3">
          <Link to="/keys" search={{ workspace }} className="underline underline-offset-2">
            All keys of this workspace
          </Link>
        </p>
      )}
      {list.data !== undefined && rows.length === 0 && (
        <EmptyState icon={KeyRound} title="No keys yet" action={make}>
          A program gets into this workspace with an API key. What it makes stays here, and other
          workspaces do not see it.
        </EmptyState>
      )}
    </Section>
  );
}
