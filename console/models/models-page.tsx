// Models: what there is, what each takes; and, for those who may, where they are asked and at what price.
import { useQuery } from "@tanstack/react-query";
import { Boxes } from "lucide-react";
import type { Filter } from "../kit/list/filters.tsx";
import { ListPage } from "../kit/list/list-page.tsx";
import type { List } from "../kit/list/list.ts";
import { useAskedFor, useSearchState } from "../kit/page/search.ts";
import { useMe } from "../kit/server/queries.ts";
import { modelColumns, type ModelRow } from "./model-columns.tsx";
import { addModel } from "./model-form.tsx";
import { modelQueries } from "./queries.ts";
import { Upstreams } from "./upstreams/upstreams.tsx";

export function Page() {
  const [{ q }] = useSearchState();
  const { list, problems, upstreams, mayWrite, isKnown } = useCatalog(q);
  useAskedFor(isKnown ? { model: mayWrite ? addModel : undefined } : undefined);
  const mayTry = useMe().permissions.includes("messages:use");
  return (
    <ListPage
      title="Models"
      about="What requests may name, and what each takes."
      noun="model"
      icon={Boxes}
      list={list}
      columns={modelColumns(mayTry, mayWrite)}
      keyOf={({ info }) => info.id}
      create={mayWrite ? { label: "Add a model", run: addModel, inPalette: false } : undefined}
      filters={filters}
      above={problems.map((problem) => (
        <p key={problem} role="alert" className="mb-3 rounded-lg bg-warn-soft p-3 text-warn">
          {problem}
        </p>
      ))}
      nothingFits={{ title: "Nothing here", children: "No model is called that." }}
      empty={{ title: "Nothing here", children: "The catalog is empty." }}
    >
      {mayWrite && (
        <div className="mt-8">
          <Upstreams upstreams={upstreams} />
        </div>
      )}
    </ListPage>
  );
}

const filters: readonly Filter[] = [{ kind: "search", name: "q", label: "Search name or alias" }];

/** The whole catalog belongs to the organization that runs the server: others read only. */
function useCatalog(q = "") {
  const mayAsk = useMe().permissions.includes("models:write");
  const models = useQuery(modelQueries.list);
  const entries = useQuery({ ...modelQueries.entries, enabled: mayAsk });
  const upstreams = useQuery({ ...modelQueries.upstreams, enabled: mayAsk });
  const rows = (models.data?.data ?? []).map((info): ModelRow => {
    return { info, entry: entries.data?.data.find(({ id }) => id === info.id) };
  });
  const list: List<ModelRow> = {
    rows: rows.filter((row) => mentions(row, q)),
    isPending: models.isPending,
    isFetching: models.isFetching,
    error: models.error ?? entries.error ?? upstreams.error,
    refetch: () => void models.refetch(),
    more: undefined,
    isReadingMore: false,
  };
  return {
    list,
    problems: entries.data?.problems ?? [],
    upstreams: upstreams.data?.data ?? [],
    isKnown: !mayAsk || (!entries.isPending && !upstreams.isPending),
    // What is added is held against both lists: it would take the place of one that is not read yet.
    mayWrite: mayAsk && entries.isSuccess && upstreams.isSuccess,
  };
}

function mentions({ info, entry }: ModelRow, typed: string): boolean {
  const words = [info.id, info.display_name, ...(entry?.aliases ?? []), entry?.upstream];
  return words.some((word) => word?.toLowerCase().includes(typed.toLowerCase()) === true);
}
