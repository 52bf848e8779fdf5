// The router, made from the table in pages.tsx.
import { createRootRoute, createRoute, createRouter } from "@tanstack/react-router";
import { NotFound } from "./layout/not-found.tsx";
import { PageError } from "./layout/page-error.tsx";
import { Shell } from "./layout/shell.tsx";
import { lazyPage } from "./lib/lazy-page.tsx";
import { parseSearch, stringifySearch } from "./lib/search.ts";
import { innerPages, pages } from "./pages.tsx";
import { PageSkeleton } from "./parts/skeleton.tsx";

const root = createRootRoute({ component: Shell });

const tree = root.addChildren(
  [...pages, ...innerPages].map(({ path, load }) =>
    createRoute({
      getParentRoute: () => root,
      path,
      component: lazyPage(load),
    }),
  ),
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
