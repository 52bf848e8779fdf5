// The fields of a workspace: defaults for those that were not given, changes over existing values, rules of tags.
import { invalid } from "../../kernel/base/failure.ts";
import { cleanName } from "../../kernel/base/name.ts";
import type { Random } from "../../kernel/base/random.ts";
import type { Geo, WorkspaceFields, WorkspaceRow } from "./queries.ts";
import { limits } from "./limits.ts";
import type { CreateWorkspace, UpdateWorkspace } from "./schema.ts";

/** Colours that are told apart on a light and on a dark background. */
const palette = [
  "#2F6FDE",
  "#0E8A6A",
  "#B7791F",
  "#C2410C",
  "#BE3455",
  "#8B5CF6",
  "#0E7490",
  "#5B6B8C",
];

/** Fields of the default workspace, as the migration gave them to those that existed before. */
export const defaultFields: Omit<WorkspaceFields, "name"> = {
  display_color: "#5B6B8C",
  allowed_inference_geos: null,
  default_inference_geo: "global",
  tags: {},
};

export function newFields(body: CreateWorkspace, random: Random): WorkspaceFields {
  const color = palette[Math.floor(random.fraction() * palette.length)] ?? "#5B6B8C";
  return changedFields({ ...defaultFields, name: "", display_color: color }, body);
}

/** Rules WSP3 to WSP6: a field that is absent, or null, keeps its value. */
export function changedFields(
  before: WorkspaceFields,
  body: CreateWorkspace | UpdateWorkspace,
): WorkspaceFields {
  expectNothingForeign(body);
  const { name, display_color: color, data_residency: residency, tags } = body;
  const allowed = residency?.allowed_inference_geos;
  const after: WorkspaceFields = {
    name: name == null ? before.name : cleanName("name", name, limits.nameCharactersMax),
    display_color: color?.toUpperCase() ?? before.display_color,
    allowed_inference_geos: allowed == null ? before.allowed_inference_geos : listed(allowed),
    default_inference_geo: residency?.default_inference_geo ?? before.default_inference_geo,
    tags: tags == null ? before.tags : changedTags(before.tags, tags),
  };
  expectDefaultAllowed(after);
  return after;
}

const listed = (allowed: "unrestricted" | Geo[]): Geo[] | null =>
  allowed === "unrestricted" ? null : [...new Set(allowed)].sort();

/** Rule WSP6: a setting that this server would promise and not keep is refused. */
function expectNothingForeign(body: CreateWorkspace | UpdateWorkspace): void {
  if (body.external_key_id != null)
    throw invalid(
      "external_key_id: this server keeps no external keys, so nothing would be encrypted with it; leave it out. Data at rest is protected by the operator's own disks and database.",
    );
  if (body.user_profile_id != null)
    throw invalid("user_profile_id: this server keeps no user profiles; leave it out.");
  const geo = body.data_residency?.workspace_geo;
  if (geo != null && geo !== "us")
    throw invalid(
      "data_residency.workspace_geo: is us for every workspace and stays it; leave it out.",
    );
}

function expectDefaultAllowed(fields: WorkspaceFields): void {
  const { allowed_inference_geos: allowed, default_inference_geo: geo } = fields;
  if (allowed === null || allowed.includes(geo)) return;
  throw invalid(
    `data_residency.default_inference_geo: ${geo} is not among allowed_inference_geos (${allowed.join(", ")}); name one of them, or allow ${geo}.`,
  );
}

/** Rule WSP5. */
function changedTags(
  before: Record<string, string>,
  change: Record<string, string | null>,
): Record<string, string> {
  for (const [key, value] of Object.entries(change)) {
    expectTagKey(key);
    if (value !== null && unseen.test(value))
      throw invalid(`tags.${key}: holds a character that is no part of a tag, such as a line end.`);
  }
  const merged = Object.entries({ ...before, ...change });
  const left = merged.filter((pair): pair is [string, string] => pair[1] !== null);
  if (left.length > limits.tagsMax)
    throw invalid(`tags: are ${left.length}; a workspace has at most ${limits.tagsMax}.`);
  return Object.fromEntries(left);
}

const vendor = /^anthropic/i;
const unseen = /[\p{Cc}\p{Cs}\u2028\u2029\u202a-\u202e\u2066-\u2069]/u;

function expectTagKey(key: string): void {
  const shown = JSON.stringify(key.slice(0, 80));
  const { length } = Array.from(key);
  if (key.trim() === "" || unseen.test(key))
    throw invalid(`tags: the key ${shown} must have characters that can be seen, on one line.`);
  if (length > limits.tagKeyCharactersMax)
    throw invalid(
      `tags: the key ${shown} has ${length} characters; it may have at most ${limits.tagKeyCharactersMax}.`,
    );
  if (vendor.test(key))
    throw invalid(`tags: the key ${shown} begins with anthropic, which is reserved; rename it.`);
}

/** The changed fields, as the audit log keeps them. */
export function fieldDifferences(before: WorkspaceFields, after: WorkspaceFields) {
  const names = Object.keys(after) as (keyof WorkspaceFields)[];
  const changed = names.filter(
    (name) => JSON.stringify(sorted(before[name])) !== JSON.stringify(sorted(after[name])),
  );
  return Object.fromEntries(
    changed.flatMap((name) => [
      [name, after[name]],
      [`${name}_before`, before[name]],
    ]),
  );
}

/** The database returns the keys of an object in its own order. */
const sorted = (value: unknown): unknown =>
  typeof value === "object" && value !== null && !Array.isArray(value)
    ? Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))
    : value;

export const fieldsOf = (row: WorkspaceRow): WorkspaceFields => ({
  name: row.name,
  display_color: row.display_color,
  allowed_inference_geos: row.allowed_inference_geos,
  default_inference_geo: row.default_inference_geo,
  tags: row.tags,
});
