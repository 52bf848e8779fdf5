// Statements that look for objects of one type, made of what its noun gives.
import type { Found } from "../../kernel/http/searchable.ts";
import type { Queryable } from "../../kernel/sql/database.ts";
import { sql, type Statement } from "../../kernel/sql/statement.ts";
import { limits } from "./limits.ts";

export interface RankedRow extends Found {
  /** 0: it is called so; 1: its name begins so; 2: words of its name do. */
  rank: number;
}

const columns = sql`object.id, object.name, object.workspace_id, object.part_of, object.detail`;

/** By the primary key, and by no other index: whose it is, is asked of what was found. */
export function findById(
  on: Queryable,
  places: readonly string[],
  { rows, id }: { rows: Statement; id: string },
): Promise<RankedRow[]> {
  return on.query<RankedRow>(sql`
    select ${columns}, 0 as rank
    from (
      select ${columns}, object.place from (${rows}) as object
      where object.id = ${id} offset 0) as object
    where object.place = any(${places})`);
}

/**
 * Best first, and the newest of equals. A word that very many names have is not read to its end: what is called exactly
 * so is read by itself, and is found all the same.
 */
export function findByName(
  on: Queryable,
  places: readonly string[],
  { rows, typed }: { rows: Statement; typed: string },
): Promise<RankedRow[]> {
  return on.query<RankedRow>(sql`
    select ${columns},
      case when lower(object.name) = lower(${typed}) then 0
        when starts_with(lower(object.name), lower(${typed})) then 1 else 2 end as rank
    from (
      (select ${columns} from (${rows}) as object
       where name_words(object.place, object.words) @@ whole_name_query(${places}, ${typed})
       limit ${limits.namesReadPerTypeMax})
      union
      (select ${columns} from (${rows}) as object
       where name_words(object.place, object.words) @@ name_query(${places}, ${typed})
       limit ${limits.namesReadPerTypeMax})) as object
    order by rank, object.id desc
    limit ${limits.foundPerTypeMax}`);
}
