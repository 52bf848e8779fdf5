// The list of pages: a column on a desk, a drawer on a phone.
import { Dialog } from "@base-ui/react/dialog";
import { Link } from "@tanstack/react-router";
import { BookOpen, Search, X } from "lucide-react";
import { docsPath } from "./actions.tsx";
import type { Me } from "../kit/server/api.ts";
import { organizationWords } from "../kit/value/words.ts";
import { visiblePages, type PageEntry } from "../pages.tsx";
import { IconButton } from "../kit/page/button.tsx";
import { Kbd } from "../kit/page/kbd.tsx";
import { AccountMenu } from "./account-menu.tsx";
import { Logo } from "./logo.tsx";
import { WorkspaceSwitcher } from "./workspace-switcher.tsx";

const entry =
  "flex items-center gap-2.5 rounded-md px-2.5 py-1.5 text-soft hover:bg-hover hover:text-ink max-md:py-2.5";

export function Sidebar({ me, onSearch }: { me: Me; onSearch: () => void }) {
  return (
    <header className="sticky top-0 flex h-dvh flex-col gap-4 border-r border-line bg-surface p-3 max-lg:hidden">
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
      <WorkspaceSwitcher />
      <Pages me={me} />
      <AccountMenu me={me} />
    </header>
  );
}

function Organization({ me }: { me: Me }) {
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

function Pages({ me }: { me: Me }) {
  const groups = Map.groupBy(visiblePages(me), ({ group }) => group);
  return (
    <nav aria-label="Pages" className="-mx-3 min-h-0 flex-1 overflow-y-auto px-3 pb-1">
      {[...groups].map(([group, pages]) => (
        <div key={group} className="mb-3">
          <h2 className="mb-1 px-2.5 text-xs font-medium text-soft">{group}</h2>
          <ul className="grid gap-0.5">
            {pages.map((page) => (
              <PageLink key={page.path} page={page} />
            ))}
          </ul>
        </div>
      ))}
      <h2 className="mb-1 px-2.5 text-xs font-medium text-soft">Help</h2>
      <a href={docsPath} className={entry}>
        <BookOpen size={16} aria-hidden />
        API reference
      </a>
    </nav>
  );
}

function PageLink({ page: { path, title, icon: Icon } }: { page: PageEntry }) {
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
      </Link>
    </li>
  );
}

export function Drawer({
  me,
  open,
  onOpenChange,
}: {
  me: Me;
  open: boolean;
  onOpenChange: (open: boolean) => void;
}) {
  return (
    <Dialog.Root open={open} onOpenChange={onOpenChange}>
      <Dialog.Portal>
        <Dialog.Backdrop className="fade fade-only fixed inset-0 z-30 bg-shade" />
        <Dialog.Popup className="slide fixed inset-y-0 left-0 z-40 flex w-72 max-w-[85vw] flex-col gap-4 bg-surface p-3 text-ink shadow-lift outline-none">
          <Dialog.Title className="sr-only">Navigation</Dialog.Title>
          <div className="flex items-start justify-between">
            <Organization me={me} />
            <Dialog.Close render={<IconButton label="Close" />} aria-label="Close">
              <X size={18} aria-hidden />
            </Dialog.Close>
          </div>
          <WorkspaceSwitcher />
          <Pages me={me} />
          <AccountMenu me={me} />
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  );
}
