// What an entry of the table of contents says of its page.
import type { LucideIcon } from "lucide-react";
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
  /** What the person must be allowed, one of these where there are several, or the page is not shown. */
  permission?: string | readonly string[];
  /** Types of organization that have what it is about; all of them where nothing is said. */
  organizations?: readonly Me["organization"]["type"][];
  /** It shows what belongs to one workspace. */
  inWorkspace?: true;
  /** After its title in the navigation. */
  beside?: () => Promise<{ Beside: ComponentType }>;
  load: () => Promise<{ Page: ComponentType }>;
}

export type Viewer = Pick<Me, "permissions" | "organization">;

/** Why this person is not shown the page; undefined where they are. */
export function refusalOf(page: PageEntry, viewer: Viewer): "organization" | "role" | undefined {
  const { organizations, permission } = page;
  if (organizations?.includes(viewer.organization.type) === false) return "organization";
  if (permission === undefined) return undefined;
  const wanted = typeof permission === "string" ? [permission] : permission;
  return wanted.some((each) => viewer.permissions.includes(each)) ? undefined : "role";
}
