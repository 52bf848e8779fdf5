// The router, made from the table in pages.tsx.
import { createRootRoute, createRoute, createRouter } from "@tanstack/react-router";
import { guarded } from "./shell/guard.tsx";
import { NotFound } from "./kit/page/not-found.tsx";
import { PageError } from "./shell/page-error.tsx";
import { Shell } from "./shell/shell.tsx";
import { lazyPage } from "./kit/page/lazy-page.tsx";
import { parseSearch, stringifySearch } from "./kit/page/search.ts";
import { innerPages } from "./inner-pages.ts";
import type { PageEntry } from "./page-entry.ts";
import { pages } from "./pages.tsx";
import { PageSkeleton } from "./kit/page/skeleton.tsx";

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
