// The table of contents. A new page is one entry here: navigation, palette, shortcuts and routes follow from it.
import {
  Armchair,
  BookMarked,
  Bot,
  Boxes,
  ChartColumnStacked,
  ChartNoAxesColumn,
  CircleUser,
  Files,
  Fingerprint,
  Gauge,
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
import type { Me } from "./lib/api.ts";

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
  load: () => Promise<{ Page: ComponentType }>;
}

export const pages: readonly PageEntry[] = [
  {
    path: "/",
    title: "Overview",
    group: "Organization",
    icon: Gauge,
    letter: "o",
    load: () => import("./pages/overview.tsx"),
  },
  {
    path: "/playground",
    title: "Playground",
    group: "Build",
    icon: SquareTerminal,
    letter: "p",
    permission: "messages:use",
    load: () => import("./pages/playground.tsx"),
  },
  {
    path: "/batches",
    title: "Batches",
    group: "Build",
    icon: Layers,
    letter: "b",
    permission: "batches:use",
    load: () => import("./pages/batches.tsx"),
  },
  {
    path: "/memory",
    title: "Memory",
    group: "Build",
    icon: BookMarked,
    letter: "e",
    permission: "memory:use",
    load: () => import("./pages/memory.tsx"),
  },
  {
    path: "/files",
    title: "Files",
    group: "Build",
    icon: Files,
    letter: "f",
    permission: "files:use",
    load: () => import("./pages/files.tsx"),
  },
  {
    path: "/models",
    title: "Models",
    group: "Build",
    icon: Boxes,
    letter: "m",
    permission: "models:read",
    load: () => import("./pages/models.tsx"),
  },
  {
    path: "/workspaces",
    title: "Workspaces",
    group: "Organization",
    icon: LayoutGrid,
    letter: "w",
    permission: "workspaces:read",
    load: () => import("./pages/workspaces.tsx"),
  },
  {
    path: "/groups",
    title: "Groups",
    group: "Access",
    icon: UsersRound,
    letter: "r",
    permission: "groups:read",
    organizations: ["enterprise"],
    load: () => import("./pages/groups.tsx"),
  },
  {
    path: "/roles",
    title: "Roles",
    group: "Access",
    icon: ShieldCheck,
    letter: "c",
    permission: "roles:read",
    organizations: ["enterprise"],
    load: () => import("./pages/roles.tsx"),
  },
  {
    path: "/members",
    title: "Members",
    group: "Organization",
    icon: Users,
    letter: "u",
    permission: "members:read",
    load: () => import("./pages/members.tsx"),
  },
  {
    path: "/seats",
    title: "Seats",
    group: "Organization",
    icon: Armchair,
    letter: "q",
    permission: "seats:read",
    load: () => import("./pages/seats.tsx"),
  },
  {
    path: "/keys",
    title: "API keys",
    group: "Organization",
    icon: KeyRound,
    letter: "k",
    permission: "api_keys:read",
    load: () => import("./pages/keys.tsx"),
  },
  {
    path: "/usage",
    title: "Usage & cost",
    group: "Organization",
    icon: ChartColumnStacked,
    letter: "d",
    permission: "usage:read",
    load: () => import("./pages/usage.tsx"),
  },
  {
    path: "/limits",
    title: "Limits",
    group: "Organization",
    icon: ChartNoAxesColumn,
    letter: "i",
    permission: "limits:read",
    load: () => import("./pages/limits.tsx"),
  },
  {
    path: "/webhooks",
    title: "Webhooks",
    group: "Organization",
    icon: Webhook,
    letter: "h",
    permission: "webhooks:read",
    organizations: ["platform", "enterprise"],
    load: () => import("./pages/webhooks.tsx"),
  },
  {
    path: "/service-accounts",
    title: "Service accounts",
    group: "Access",
    icon: Bot,
    letter: "s",
    permission: "service_accounts:read",
    organizations: ["platform"],
    load: () => import("./pages/service-accounts.tsx"),
  },
  {
    path: "/federation",
    title: "Federation",
    group: "Access",
    icon: Handshake,
    letter: "t",
    permission: "federation:read",
    organizations: ["platform"],
    load: () => import("./pages/federation.tsx"),
  },
  {
    path: "/sign-in-methods",
    title: "Sign-in methods",
    group: "Access",
    icon: Fingerprint,
    letter: "n",
    permission: "identity_provider:read",
    load: () => import("./pages/sign-in-methods.tsx"),
  },
  {
    path: "/audit",
    title: "Audit log",
    group: "Organization",
    icon: ScrollText,
    letter: "l",
    permission: "audit:read",
    load: () => import("./pages/audit.tsx"),
  },
  {
    path: "/scim",
    title: "SCIM",
    group: "Access",
    icon: RefreshCcwDot,
    letter: "y",
    permission: "identity_provider:read",
    load: () => import("./pages/scim.tsx"),
  },
  {
    path: "/account",
    title: "Account",
    group: "You",
    icon: CircleUser,
    letter: "a",
    load: () => import("./pages/account.tsx"),
  },
];

/** Pages of one thing, or on the way to one: in no list of pages, and for whom the page is that they belong to. */
export const innerPages: readonly (Pick<PageEntry, "path" | "load"> & { of: string })[] = [
  { path: "/batches/new", of: "/batches", load: () => import("./pages/new-batch.tsx") },
  { path: "/batches/$id", of: "/batches", load: () => import("./pages/batch.tsx") },
  { path: "/workspaces/$id", of: "/workspaces", load: () => import("./pages/workspace.tsx") },
  { path: "/groups/$id", of: "/groups", load: () => import("./pages/group.tsx") },
  {
    path: "/service-accounts/$id",
    of: "/service-accounts",
    load: () => import("./pages/service-account.tsx"),
  },
  { path: "/federation/$id", of: "/federation", load: () => import("./pages/federation-rule.tsx") },
  { path: "/webhooks/$id", of: "/webhooks", load: () => import("./pages/webhook.tsx") },
  { path: "/memory/$id", of: "/memory", load: () => import("./pages/memory-store.tsx") },
  { path: "/memory/$id/history", of: "/memory", load: () => import("./pages/memory-history.tsx") },
  {
    path: "/memory/$id/history/$version",
    of: "/memory",
    load: () => import("./pages/memory-version.tsx"),
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
