// What stands around every page: navigation, palette, cheat sheet. No page is shown before it is known who is here.
import { useQuery } from "@tanstack/react-query";
import { Outlet, useLocation } from "@tanstack/react-router";
import { Menu, Search } from "lucide-react";
import { lazy, useEffect, useState } from "react";
import { useGlobalCommands } from "./actions.tsx";
import { ApiError, type Me } from "../kit/server/api.ts";
import { NoAnswer } from "../kit/server/away.ts";
import { listenToKeys, useCommands } from "../kit/page/commands.ts";
import { queries } from "../kit/server/queries.ts";
import { IconButton } from "../kit/page/button.tsx";
import { PageSkeleton } from "../kit/page/skeleton.tsx";
import { TroubleBox } from "../kit/page/trouble-box.tsx";
import { AwayNotice } from "./away-notice.tsx";
import { Logo } from "./logo.tsx";
import { useIsDialogOpen } from "../kit/dialog/open-dialog.ts";
import { useHasSaid } from "../kit/page/say.ts";
import { WhenWanted } from "../kit/page/when-wanted.tsx";
import { loadAccountMenu, loadWorkspaceMenu } from "./menu-buttons.tsx";
import { Sidebar } from "./navigation.tsx";
import { NoSuchWorkspace } from "./no-such-workspace.tsx";
import { useWorkspaceInAddress } from "./page-workspace.ts";

// The first picture needs none of these. They are fetched as soon as the person moves, so that a press does not wait.
const loadPalette = () => import("./palette/palette.tsx");
const loadCheatSheet = () => import("./cheat-sheet.tsx");
const loadDrawer = () => import("./drawer.tsx");
const loadDialog = () => import("../kit/dialog/opened-dialog.tsx");
const loadToasts = () => import("../kit/page/toasts.tsx");
const Palette = lazy(() => loadPalette().then((file) => ({ default: file.Palette })));
const CheatSheet = lazy(() => loadCheatSheet().then((file) => ({ default: file.CheatSheet })));
const Drawer = lazy(() => loadDrawer().then((file) => ({ default: file.Drawer })));
const OpenedDialog = lazy(() => loadDialog().then((file) => ({ default: file.OpenedDialog })));
const Toasts = lazy(() => loadToasts().then((file) => ({ default: file.Toasts })));

const later = [
  loadPalette,
  loadDialog,
  loadToasts,
  loadAccountMenu,
  loadWorkspaceMenu,
  loadCheatSheet,
  loadDrawer,
];

function useLater(): void {
  useEffect(() => {
    const signs = ["pointermove", "pointerdown", "keydown", "touchstart"] as const;
    const listening = new AbortController();
    const load = () => {
      listening.abort();
      for (const each of later) each().catch(() => {});
    };
    for (const sign of signs)
      window.addEventListener(sign, load, { passive: true, signal: listening.signal });
    return () => listening.abort();
  }, []);
}

export function Shell() {
  const { data: me, error, refetch } = useQuery(queries.me);
  if (me !== undefined) return <Frame me={me} />;
  const leaving = error instanceof ApiError && error.status === 401;
  return (
    <main className="mx-auto max-w-5xl p-8">
      <AwayNotice />
      {error === null || leaving || error instanceof NoAnswer ? (
        <PageSkeleton />
      ) : (
        <TroubleBox error={error} retry={() => void refetch()} />
      )}
    </main>
  );
}

function Frame({ me }: { me: Me }) {
  const [drawer, setDrawer] = useState(false);
  const [palette, setPalette] = useState(false);
  const [help, setHelp] = useState(false);
  const openPalette = () => setPalette(true);
  useCommands(useGlobalCommands(me, { palette: openPalette, help: () => setHelp(true) }));
  const { id: workspace, isUnknown } = useWorkspaceInAddress();
  useEffect(listenToKeys, []);
  useLater();
  const { pathname } = useLocation();
  useEffect(() => setDrawer(false), [pathname, workspace]);

  return (
    <div className="min-h-dvh lg:grid lg:grid-cols-[232px_minmax(0,1fr)]">
      <a
        href="#main"
        className="fixed top-2 left-2 z-70 -translate-y-20 rounded-md bg-accent px-3 py-2 font-medium text-accent-ink focus:translate-y-0"
      >
        Skip to the content
      </a>
      <Sidebar me={me} onSearch={openPalette} />
      <div className="min-w-0">
        <header className="sticky top-0 z-20 flex items-center gap-2 border-b border-line bg-surface px-3 py-2 lg:hidden">
          <IconButton label="Open the navigation" onClick={() => setDrawer(true)}>
            <Menu size={20} aria-hidden />
          </IconButton>
          <span className="flex min-w-0 flex-1 items-center gap-2 font-semibold">
            <span className="text-accent">
              <Logo />
            </span>
            <span className="truncate">{me.organization.name}</span>
          </span>
          <IconButton label="Search pages, actions and objects" onClick={openPalette}>
            <Search size={18} aria-hidden />
          </IconButton>
        </header>
        <main
          id="main"
          tabIndex={-1}
          className="mx-auto max-w-6xl px-4 py-6 has-[[data-wide]]:max-w-[1600px] outline-none md:py-8 xl:px-8"
        >
          <AwayNotice />
          {isUnknown ? <NoSuchWorkspace /> : <Outlet />}
        </main>
      </div>
      <WhenWanted isWanted={drawer}>
        <Drawer me={me} open={drawer} onOpenChange={setDrawer} />
      </WhenWanted>
      <WhenWanted isWanted={palette}>
        <Palette open={palette} onClose={() => setPalette(false)} />
      </WhenWanted>
      <WhenWanted isWanted={useIsDialogOpen()}>
        <OpenedDialog />
      </WhenWanted>
      <WhenWanted isWanted={help}>
        <CheatSheet open={help} onClose={() => setHelp(false)} />
      </WhenWanted>
      <WhenWanted isWanted={useHasSaid()}>
        <Toasts />
      </WhenWanted>
    </div>
  );
}
