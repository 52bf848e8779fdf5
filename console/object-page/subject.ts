// What a page of one thing is about, in the words of usage, of the request log and of the audit log.
import type { Me } from "../kit/server/api.ts";
import type { RequestFilter } from "../requests/requests.ts";
import type { Filters, Grouping } from "../usage/usage.ts";

export interface Subject {
  kind: "key" | "person" | "account" | "model" | "workspace";
  id: string;
}

export function usageFilter({ kind, id }: Subject): Filters {
  switch (kind) {
    case "key":
      return { key: id };
    case "model":
      return { model: id };
    case "workspace":
      return { space: id };
    default:
      return { person: id };
  }
}

/** What tells most of who spent it on what. */
export const groupedBy = ({ kind }: Subject): Grouping =>
  kind === "model" ? "api_key_id" : "model";

export function requestFilter({ kind, id }: Subject): RequestFilter {
  switch (kind) {
    case "key":
      return { credential_id: id };
    case "model":
      return { model: id };
    case "workspace":
      return { workspace_id: id };
    default:
      return { user_id: id };
  }
}

/** It does things, and not only has things done to it. */
export const isActor = ({ kind }: Subject): boolean =>
  kind === "key" || kind === "person" || kind === "account";

export const maySeeSpend = ({ permissions }: Me): boolean => permissions.includes("usage:read");
