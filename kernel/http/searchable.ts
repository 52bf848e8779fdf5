// What a noun gives of each type of its objects, so that these are found by their ids and names.
import type { Context, OrganizationType } from "../context.ts";
import type { Statement } from "../sql/statement.ts";

export interface Found {
  id: string;
  /** Null where it has none. */
  name: string | null;
  /** Null where it belongs to the organization. */
  workspace_id: string | null;
  /** The id of the object that its page is in, where that is another's. */
  part_of: string | null;
  /** What tells it from others of its name. */
  detail: string | null;
}

interface Facts {
  /** As the API calls it. */
  type: string;
  /** What the console demands of a person who opens its page. */
  permission: string;
  /** Types of organization that have its page; all of them where nothing is said. */
  organizations?: readonly OrganizationType[];
  /** The route by which programs read it: who may call that finds it here. */
  operation: string;
  /** Where it stands in the console, without the console's own address. */
  page: (found: Found) => string;
}

export interface StoredType extends Facts {
  /** Its ids begin so. */
  idPrefix: string;
  /** `words` has an index: it is found by its name too. */
  isNamed?: true;
  /** Whose place the objects are in: the organization's, or one of its workspaces. */
  within: "organization" | "workspaces";
  /**
   * All of them that the caller may read in their place: the columns of Found, `place`, the id of the organization or
   * workspace, and where they have names `words`, what they are found by, as the index has it. `id` is the one that
   * is looked for: it may say in which part of a large table it lies.
   */
  rows: (context: Context, id?: string) => Statement | Promise<Statement>;
}

/** What this process holds in memory: it is looked through. */
export interface HeldType extends Facts {
  list: (context: Context) => readonly (Found & { words: string })[];
}

export type Searchable = StoredType | HeldType;

export const isStored = (type: Searchable): type is StoredType => "rows" in type;
