// The router, made from the table in pages.tsx.
import { createRootRoute, createRoute, createRouter } from "@tanstack/react-router";
import { guarded } from "./layout/guard.tsx";
import { NotFound } from "./layout/not-found.tsx";
import { PageError } from "./layout/page-error.tsx";
import { Shell } from "./layout/shell.tsx";
import { lazyPage } from "./lib/lazy-page.tsx";
import { parseSearch, stringifySearch } from "./lib/search.ts";
import { innerPages, pages, type PageEntry } from "./pages.tsx";
import { PageSkeleton } from "./parts/skeleton.tsx";

const root = createRootRoute({ component: Shell });

const made = (page: PageEntry, { path, load }: Pick<PageEntry, "path" | "load">) =>
  createRoute({ getParentRoute: () => root, path, component: guarded(page, lazyPage(load)) });

const inside = Map.groupBy(innerPages, ({ of }) => of);
const tree = root.addChildren(
  pages.flatMap((page) => [page, ...(inside.get(page.path) ?? [])].map((each) => made(page, each))),
);

export const router = createRouter({
  routeTree: tree,
  basepath: "/console",
  parseSearch,
  stringifySearch,
  defaultPreload: "intent",
  defaultPendingComponent: PageSkeleton,
  defaultErrorComponent: PageError,
  defaultNotFoundComponent: NotFound,
  notFoundMode: "root",
});
