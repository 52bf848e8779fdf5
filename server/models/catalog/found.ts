// Models as they are found: the catalog is in memory.
import type { Searchable } from "../../../kernel/http/searchable.ts";
import { mayUse } from "../access.ts";
import { catalogOf } from "./process-catalog.ts";

export const searchables: readonly Searchable[] = [
  {
    type: "model",
    permission: "models:read",
    operation: "models.retrieve",
    page: ({ id }) => `/models/${encodeURIComponent(id)}`,
    list: (context) =>
      catalogOf(context)
        .list()
        .filter((model) => mayUse(context.who, model))
        .map(({ id, displayName, aliases }) => ({
          id,
          name: displayName,
          workspace_id: null,
          part_of: null,
          detail: displayName === id ? null : id,
          words: [id, displayName, ...aliases].join(" "),
        })),
  },
];
