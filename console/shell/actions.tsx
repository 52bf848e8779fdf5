// What can be done from anywhere: the palette, the account menu and the shortcuts offer the same acts.
import { useNavigate } from "@tanstack/react-router";
import { BookOpen, CircleHelp, LayoutGrid, LogOut, Search, SunMoon } from "lucide-react";
import { visiblePages } from "../pages.tsx";
import type { Me } from "../kit/server/api.ts";
import type { Command } from "../kit/page/commands.ts";
import { signOut } from "../kit/server/sign-out.ts";
import { toggleTheme } from "../kit/page/theme.ts";
import { useChooseWorkspace } from "./page-workspace.ts";

export const docsPath = "/docs";

/** Pages and acts that this person may use, in the order in which they are shown. */
export function useGlobalCommands(me: Me, open: { palette: () => void; help: () => void }) {
  const navigate = useNavigate();
  const choose = useChooseWorkspace();
  const commands: Command[] = visiblePages(me).map((page) => ({
    id: `page:${page.path}`,
    label: page.title,
    group: "Go to",
    keys: `g ${page.letter}`,
    icon: page.icon,
    run: () => void navigate({ to: page.path }),
  }));
  commands.push(
    {
      id: "theme",
      label: "Switch between light and dark",
      group: "Actions",
      words: "toggle theme",
      icon: SunMoon,
      run: toggleTheme,
    },
    {
      id: "docs",
      label: "Open the API reference",
      group: "Actions",
      words: "docs documentation openapi",
      icon: BookOpen,
      run: () => window.location.assign(docsPath),
    },
    {
      id: "sign-out",
      label: "Sign out",
      group: "Actions",
      words: "log out leave",
      icon: LogOut,
      run: () => void signOut(false),
    },
    {
      id: "palette",
      label: "Search pages, actions and objects",
      group: "Help",
      keys: "mod+k",
      inPalette: false,
      icon: Search,
      run: open.palette,
    },
    {
      id: "help",
      label: "Keyboard shortcuts",
      group: "Help",
      keys: "?",
      icon: CircleHelp,
      run: open.help,
    },
  );
  if (me.workspaces.length > 1)
    for (const { id, name } of me.workspaces)
      commands.push({
        id: `workspace:${id}`,
        label: `Workspace: ${name}`,
        group: "Workspaces",
        words: "choose switch change",
        whenTyped: true,
        icon: LayoutGrid,
        run: () => choose(id),
      });
  return commands;
}
