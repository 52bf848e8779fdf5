// The table of contents. A new page is one entry here: navigation, palette, shortcuts and routes follow from it.
import {
  Armchair,
  BookMarked,
  Bot,
  BotMessageSquare,
  Boxes,
  ChartColumnStacked,
  ChartNoAxesColumn,
  CircleUser,
  Container,
  Files,
  Fingerprint,
  Gauge,
  GraduationCap,
  Handshake,
  KeyRound,
  Layers,
  LayoutGrid,
  RefreshCcwDot,
  ScrollText,
  ShieldCheck,
  SquareTerminal,
  Users,
  UsersRound,
  Webhook,
  type LucideIcon,
} from "lucide-react";
import type { ComponentType } from "react";
import type { Me } from "./kit/server/api.ts";

export interface PageEntry {
  path: string;
  title: string;
  /** Heading in the navigation; groups stand in the order of their first page. */
  group: string;
  icon: LucideIcon;
  /** `g` and then this letter opens it. */
  letter: string;
  /** What the person must be allowed, or the page is not shown. */
  permission?: string;
  /** Types of organization that have what it is about; all of them where nothing is said. */
  organizations?: readonly Me["organization"]["type"][];
  /** It shows what belongs to one workspace. */
  inWorkspace?: true;
  load: () => Promise<{ Page: ComponentType }>;
}

export const pages: readonly PageEntry[] = [
  {
    path: "/",
    title: "Overview",
    group: "Build",
    icon: Gauge,
    letter: "o",
    load: () => import("./overview/overview-page.tsx"),
  },
  {
    path: "/playground",
    inWorkspace: true,
    title: "Playground",
    group: "Build",
    icon: SquareTerminal,
    letter: "p",
    permission: "messages:use",
    load: () => import("./playground/playground-page.tsx"),
  },
  {
    path: "/models",
    title: "Models",
    group: "Build",
    icon: Boxes,
    letter: "m",
    permission: "models:read",
    load: () => import("./models/models-page.tsx"),
  },
  {
    path: "/batches",
    inWorkspace: true,
    title: "Batches",
    group: "Build",
    icon: Layers,
    letter: "b",
    permission: "batches:use",
    load: () => import("./batches/batches-page.tsx"),
  },
  {
    path: "/memory",
    inWorkspace: true,
    title: "Memory",
    group: "Build",
    icon: BookMarked,
    letter: "e",
    permission: "memory:use",
    load: () => import("./memory/stores/stores-page.tsx"),
  },
  {
    path: "/files",
    inWorkspace: true,
    title: "Files",
    group: "Build",
    icon: Files,
    letter: "f",
    permission: "files:use",
    load: () => import("./files/files-page.tsx"),
  },
  {
    path: "/agents",
    inWorkspace: true,
    title: "Agents",
    group: "Agents",
    icon: BotMessageSquare,
    letter: "g",
    permission: "agents:use",
    load: () => import("./agents/agents-page.tsx"),
  },
  {
    path: "/environments",
    inWorkspace: true,
    title: "Environments",
    group: "Agents",
    icon: Container,
    letter: "v",
    permission: "environments:use",
    load: () => import("./environments/environments-page.tsx"),
  },
  {
    path: "/skills",
    inWorkspace: true,
    title: "Skills",
    group: "Agents",
    icon: GraduationCap,
    letter: "x",
    permission: "skills:use",
    load: () => import("./skills/skills-page.tsx"),
  },
  {
    path: "/workspaces",
    title: "Workspaces",
    group: "Organization",
    icon: LayoutGrid,
    letter: "w",
    permission: "workspaces:read",
    load: () => import("./workspaces/workspaces-page.tsx"),
  },
  {
    path: "/members",
    title: "Members",
    group: "Organization",
    icon: Users,
    letter: "u",
    permission: "members:read",
    load: () => import("./members/members-page.tsx"),
  },
  {
    path: "/groups",
    title: "Groups",
    group: "Organization",
    icon: UsersRound,
    letter: "r",
    permission: "groups:read",
    organizations: ["enterprise"],
    load: () => import("./groups/groups-page.tsx"),
  },
  {
    path: "/roles",
    title: "Roles",
    group: "Organization",
    icon: ShieldCheck,
    letter: "c",
    permission: "roles:read",
    organizations: ["enterprise"],
    load: () => import("./roles/roles-page.tsx"),
  },
  {
    path: "/service-accounts",
    title: "Service accounts",
    group: "Organization",
    icon: Bot,
    letter: "s",
    permission: "service_accounts:read",
    organizations: ["platform"],
    load: () => import("./service-accounts/service-accounts-page.tsx"),
  },
  {
    path: "/keys",
    title: "API keys",
    group: "Organization",
    icon: KeyRound,
    letter: "k",
    permission: "api_keys:read",
    load: () => import("./keys/keys-page.tsx"),
  },
  {
    path: "/usage",
    title: "Usage & cost",
    group: "Organization",
    icon: ChartColumnStacked,
    letter: "d",
    permission: "usage:read",
    load: () => import("./usage/usage-page.tsx"),
  },
  {
    path: "/limits",
    title: "Limits",
    group: "Organization",
    icon: ChartNoAxesColumn,
    letter: "i",
    permission: "limits:read",
    load: () => import("./limits/limits-page.tsx"),
  },
  {
    path: "/seats",
    title: "Seats",
    group: "Organization",
    icon: Armchair,
    letter: "q",
    permission: "seats:read",
    load: () => import("./seats/seats-page.tsx"),
  },
  {
    path: "/audit",
    title: "Audit log",
    group: "Organization",
    icon: ScrollText,
    letter: "l",
    permission: "audit:read",
    load: () => import("./audit/audit-page.tsx"),
  },
  {
    path: "/sign-in-methods",
    title: "Sign-in methods",
    group: "Settings",
    icon: Fingerprint,
    letter: "n",
    permission: "identity_provider:read",
    load: () => import("./sign-in/sign-in-methods-page.tsx"),
  },
  {
    path: "/scim",
    title: "SCIM",
    group: "Settings",
    icon: RefreshCcwDot,
    letter: "y",
    permission: "identity_provider:read",
    load: () => import("./scim/scim-page.tsx"),
  },
  {
    path: "/federation",
    title: "Federation",
    group: "Settings",
    icon: Handshake,
    letter: "t",
    permission: "federation:read",
    organizations: ["platform"],
    load: () => import("./federation/federation-page.tsx"),
  },
  {
    path: "/webhooks",
    title: "Webhooks",
    group: "Settings",
    icon: Webhook,
    letter: "h",
    permission: "webhooks:read",
    organizations: ["platform", "enterprise"],
    load: () => import("./webhooks/webhooks-page.tsx"),
  },
  {
    path: "/account",
    title: "Account",
    group: "Settings",
    icon: CircleUser,
    letter: "a",
    load: () => import("./account/account-page.tsx"),
  },
];

type Viewer = Pick<Me, "permissions" | "organization">;

/** Why this person is not shown the page; undefined where they are. */
export function refusalOf(page: PageEntry, viewer: Viewer): "organization" | "role" | undefined {
  const { organizations, permission } = page;
  if (organizations?.includes(viewer.organization.type) === false) return "organization";
  return permission === undefined || viewer.permissions.includes(permission) ? undefined : "role";
}

export const visiblePages = (viewer: Viewer): PageEntry[] =>
  pages.filter((page) => refusalOf(page, viewer) === undefined);
