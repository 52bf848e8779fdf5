// The list of pages: a column on a desk, a drawer on a phone.
import { Link } from "@tanstack/react-router";
import { BookOpen, Search } from "lucide-react";
import { lazy, Suspense, type ComponentType, type LazyExoticComponent } from "react";
import { docsPath } from "./actions.tsx";
import type { Me } from "../kit/server/api.ts";
import { organizationWords } from "../kit/value/words.ts";
import type { PageEntry } from "../page-entry.ts";
import { pages, visiblePages } from "../pages.tsx";
import { Kbd } from "../kit/page/kbd.tsx";
import { Logo } from "./logo.tsx";
import { AccountButton, WorkspaceButton } from "./menu-buttons.tsx";

/** All pages of an owner fit a window of 900 pixels; a taller one gives them more room. */
const entry =
  "flex items-center gap-2.5 rounded-md px-2.5 text-soft hover:bg-hover hover:text-ink lg:text-sm lg:py-px lg:[@media(min-height:960px)]:py-0.5 lg:[@media(max-height:959px)]:leading-[19px] max-lg:py-2.5";

export function Sidebar({ me, onSearch }: { me: Me; onSearch: () => void }) {
  return (
    <header className="sticky top-0 flex h-dvh flex-col gap-2 border-r border-line bg-surface p-3 max-lg:hidden [@media(max-height:959px)]:gap-1 [@media(max-height:959px)]:py-2">
      <Organization me={me} />
      <button
        type="button"
        onClick={onSearch}
        className="flex items-center gap-2 rounded-md border border-line px-2.5 py-1 text-soft hover:bg-hover"
      >
        <Search size={15} aria-hidden />
        <span className="flex-1 text-left">Search</span>
        <Kbd keys="mod+k" />
      </button>
      <WorkspaceButton />
      <Pages me={me} />
      <AccountButton me={me} />
    </header>
  );
}

export function Organization({ me }: { me: Me }) {
  return (
    <div className="flex items-center gap-2.5 px-2 pt-1">
      <span className="text-accent">
        <Logo size={26} />
      </span>
      <div className="min-w-0">
        <p className="truncate font-semibold" title={me.organization.name}>
          {me.organization.name}
        </p>
        <p className="truncate text-xs text-soft">
          {organizationWords[me.organization.type] ?? me.organization.type}
        </p>
      </div>
    </div>
  );
}

export function Pages({ me }: { me: Me }) {
  const groups = Map.groupBy(visiblePages(me), ({ group }) => group);
  return (
    <nav aria-label="Pages" className="-mx-3 min-h-0 flex-1 overflow-y-auto px-3">
      {[...groups].map(([group, pages], place) => (
        <div key={group} className="mb-1 lg:mb-0 lg:[@media(min-height:960px)]:mb-1">
          <h2 className="px-2.5 text-xs font-medium text-soft">{group}</h2>
          <ul className="grid">
            {pages.map((page) => (
              <PageLink key={page.path} page={page} />
            ))}
            {place === groups.size - 1 && (
              <li>
                <a href={docsPath} className={entry}>
                  <BookOpen size={16} aria-hidden />
                  API reference
                </a>
              </li>
            )}
          </ul>
        </div>
      ))}
    </nav>
  );
}

/** The first picture does without: it comes after, and where its code does not come, nothing else is missing. */
const besides = new Map<string, LazyExoticComponent<ComponentType>>();
for (const { path, beside } of pages)
  if (beside !== undefined)
    besides.set(
      path,
      lazy(() =>
        beside().then(
          ({ Beside }) => ({ default: Beside }),
          () => ({ default: () => null }),
        ),
      ),
    );

function PageLink({ page: { path, title, icon: Icon } }: { page: PageEntry }) {
  const Beside = besides.get(path);
  return (
    <li>
      <Link
        to={path}
        activeOptions={{ exact: path === "/", includeSearch: false }}
        className={entry}
        activeProps={{
          className: "bg-accent-soft! text-accent! font-medium",
          "aria-current": "page",
        }}
      >
        <Icon size={16} aria-hidden />
        {title}
        {Beside !== undefined && (
          <Suspense fallback={null}>
            <Beside />
          </Suspense>
        )}
      </Link>
    </li>
  );
}
