// What can be done from anywhere: the palette, the account menu and the shortcuts offer the same acts.
import { useNavigate } from "@tanstack/react-router";
import {
  BookMarked,
  BookOpen,
  CircleHelp,
  FileUp,
  KeyRound,
  Layers,
  LogOut,
  Search,
  SunMoon,
} from "lucide-react";
import { visiblePages } from "../pages.tsx";
import type { Me } from "../kit/server/api.ts";
import type { Command } from "../kit/page/commands.ts";
import { signOut } from "../kit/server/sign-out.ts";
import { toggleTheme } from "../kit/page/theme.ts";

export const docsPath = "/docs";

/** Pages and acts that this person may use, in the order in which they are shown. */
export function useGlobalCommands(me: Me, open: { palette: () => void; help: () => void }) {
  const navigate = useNavigate();
  const commands: Command[] = visiblePages(me).map((page) => ({
    id: `page:${page.path}`,
    label: page.title,
    group: "Go to",
    keys: `g ${page.letter}`,
    icon: page.icon,
    run: () => void navigate({ to: page.path }),
  }));
  commands.push(...beginnings(me, (to, search) => void navigate({ to, search })));
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
      label: "Search pages and actions",
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
  return commands;
}

/** What this person may make, each on its page. */
function beginnings(me: Me, go: (to: string, search: Record<string, string>) => void): Command[] {
  const key: Command = {
    id: "create-key",
    label: "Create key",
    group: "Actions",
    words: "new api admin secret",
    icon: KeyRound,
    run: () => go("/keys", { new: "api" }),
  };
  const batch: Command = {
    id: "new-batch",
    label: "New batch",
    group: "Actions",
    words: "message batches create jsonl file upload requests",
    icon: Layers,
    run: () => go("/batches/new", {}),
  };
  const store: Command = {
    id: "new-store",
    label: "New memory store",
    group: "Actions",
    words: "memories create agents remember",
    icon: BookMarked,
    run: () => go("/memory", { new: "store" }),
  };
  const file: Command = {
    id: "upload-files",
    label: "Upload files",
    group: "Actions",
    words: "new add documents pictures pdf drop",
    icon: FileUp,
    run: () => go("/files", { new: "files" }),
  };
  return [
    ...(me.permissions.includes("api_keys:write") ? [key] : []),
    ...(me.permissions.includes("batches:use") ? [batch] : []),
    ...(me.permissions.includes("files:use") ? [file] : []),
    ...(me.permissions.includes("memory:use") ? [store] : []),
  ];
}
