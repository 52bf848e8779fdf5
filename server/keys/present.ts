// Keys as the API and the console show them.
import type { KeyRow } from "./queries.ts";
import type { ApiKey, Key } from "./schema.ts";

const statusOf = (row: KeyRow, now: Date) =>
  row.status === "active" && row.expires_at !== null && row.expires_at <= now
    ? "expired"
    : row.status;

const toMaker = ({ created_by: id }: KeyRow) => {
  if (id === null) return null;
  const type = id.startsWith("svac_") ? ("service_account" as const) : ("user" as const);
  return { id, type };
};

const namedMaker = (row: KeyRow) => {
  const maker = toMaker(row);
  return maker && { ...maker, name: row.created_by_name };
};

export const toKey = (row: KeyRow, now: Date): Key => ({
  id: row.id,
  type: "key",
  kind: row.kind,
  name: row.name,
  status: statusOf(row, now),
  created_at: row.created_at.toISOString(),
  expires_at: row.expires_at?.toISOString() ?? null,
  last_used_at: row.last_used_at?.toISOString() ?? null,
  partial_key_hint: row.hint,
  created_by: namedMaker(row),
  workspace_id: row.workspace_id,
  workspace_name: row.workspace_name,
  scopes: row.scopes,
});

export const toApiKey = (row: KeyRow, now: Date): ApiKey => ({
  id: row.id,
  type: "api_key",
  name: row.name,
  status: statusOf(row, now),
  created_at: row.created_at.toISOString(),
  expires_at: row.expires_at?.toISOString() ?? null,
  last_used_at: row.last_used_at?.toISOString() ?? null,
  partial_key_hint: row.hint,
  created_by: toMaker(row),
  // Plinth's keys act as themselves: neither as the person who made them nor as a service account.
  principal: null,
  scope:
    row.workspace_id === null
      ? { type: "organization" }
      : { type: "workspace", workspace_id: row.workspace_id },
});
