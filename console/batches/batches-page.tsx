// Message batches: many requests at once in the background; how far each batch is.
import { useNavigate } from "@tanstack/react-router";
import { Layers } from "lucide-react";
import { ListPage } from "../kit/list/list-page.tsx";
import { usePagedList } from "../kit/list/list.ts";
import { useServerUrl } from "../kit/server/queries.ts";
import { useWorkspace } from "../kit/server/workspace.ts";
import { batchActs } from "./batch-acts.tsx";
import { batchColumns } from "./batch-columns.tsx";
import { batchQueries } from "./batch-queries.ts";
import { firstBatch } from "./batch-snippets.ts";
import { isRunning } from "./batch.ts";

export function Page() {
  const workspace = useWorkspace();
  const { id, search } = workspace;
  const url = useServerUrl();
  const navigate = useNavigate();
  const list = usePagedList(batchQueries.list(id));
  const running = list.rows.filter(isRunning).length;
  return (
    <ListPage
      title="Batches"
      about="Many requests at once, worked off in the background at half the price. Results are kept for 29 days."
      noun={["batch", "batches"]}
      note={running > 0 && `, ${running} under way`}
      icon={Layers}
      list={list}
      columns={batchColumns(search)}
      acts={(batch) => batchActs(batch, id)}
      create={{
        label: "New batch",
        inPalette: false,
        run: () => void navigate({ to: "/batches/new", search }),
      }}
      empty={{
        title: "No batches yet",
        children: "Drop a file of requests on the page for a new one, or send them:",
        snippets: firstBatch(url),
      }}
    />
  );
}
