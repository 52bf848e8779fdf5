// What has a page of its own: a key, a person, a service account, a model, a workspace; as the way to that page; and
// the way from a batch or a session to its requests.
import { Link, type LinkProps } from "@tanstack/react-router";
import { SquareArrowOutUpRight } from "lucide-react";
import type { ReactNode } from "react";
import type { Me } from "../server/api.ts";
import { useMe } from "../server/queries.ts";
import type { NamedKind } from "./names.ts";

type Way = Pick<LinkProps, "to" | "params">;

interface ObjectPages {
  /** How ids begin; those of models begin like any word. */
  prefix?: string;
  kind?: NamedKind;
  to: "/keys/$id" | "/members/$id" | "/service-accounts/$id" | "/workspaces/$id" | "/models/$id";
  permission: string;
}

const pages: readonly ObjectPages[] = [
  { prefix: "apikey_", to: "/keys/$id", permission: "api_keys:read" },
  { prefix: "user_", to: "/members/$id", permission: "members:read" },
  { prefix: "svac_", to: "/service-accounts/$id", permission: "service_accounts:read" },
  { prefix: "wrkspc_", to: "/workspaces/$id", permission: "workspaces:read" },
  { kind: "model", to: "/models/$id", permission: "models:read" },
];

/** Undefined where it has no page, or none that this person may open. */
function wayTo(me: Me, id: string, kind?: NamedKind): Way | undefined {
  const page = pages.find((each) =>
    each.prefix === undefined ? each.kind === kind : id.startsWith(each.prefix),
  );
  if (page !== undefined && me.permissions.includes(page.permission))
    return { to: page.to, params: { id } };
  // One's own page is there without a permission.
  return id === me.user.id ? { to: "/account" } : undefined;
}

export const textLink = "text-accent underline-offset-2 hover:underline";

export function ObjectLink({
  id,
  kind,
  isInText = false,
  children = id,
}: {
  id: string;
  /** Where the id does not tell it. */
  kind?: NamedKind | undefined;
  /** Among words that are no links. */
  isInText?: boolean;
  children?: ReactNode;
}) {
  const way = wayTo(useMe(), id, kind);
  if (way === undefined) return children;
  return (
    <Link {...way} className={isInText ? "underline underline-offset-2" : textLink}>
      {children}
    </Link>
  );
}

/** Beside a name that leads elsewhere. */
export function ObjectIcon({
  id,
  kind,
  name,
}: {
  id: string;
  kind?: NamedKind | undefined;
  name: string;
}) {
  const way = wayTo(useMe(), id, kind);
  if (way === undefined) return null;
  const label = `The page of ${name}`;
  return (
    <Link
      {...way}
      aria-label={label}
      title={label}
      className="rounded-md p-1 text-soft hover:bg-hover hover:text-ink max-md:p-2.5"
    >
      <SquareArrowOutUpRight size={14} aria-hidden />
    </Link>
  );
}

export const maySeeRequests = ({ permissions, organization }: Me): boolean =>
  permissions.includes("usage:read") && organization.type !== "platform_cloud";

export function RequestsLink({ of }: { of: { batch_id: string } | { session_id: string } }) {
  if (!maySeeRequests(useMe())) return null;
  return (
    <Link to="/requests" search={of} className={textLink}>
      In the request log
    </Link>
  );
}
