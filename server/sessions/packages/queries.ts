// Statements about layers of packages, on which machine each is, and what came of it.
import type { Queryable, Tx } from "../../../kernel/sql/database.ts";
import { preparedAs, sql } from "../../../kernel/sql/statement.ts";
import { leasable, type Lease } from "../../../kernel/work/lease.ts";
import type { EnvironmentConfig } from "../../environments/module.ts";
import type { PackageManager } from "../../sandboxes/module.ts";
import { packageLimits } from "./limits.ts";

export const layerLeases = leasable("package_layers");

export type LayerState = "waiting" | "building" | "built" | "failed";

export interface ClaimedLayer {
  name: string;
  /** What it was claimed for. */
  task: "build" | "remove";
}

/** Of the session's environment, as its next sandbox begins with it. */
export async function findConfig(
  on: Queryable,
  sessionId: string,
): Promise<EnvironmentConfig | null> {
  const [row] = await on.query<{ config: EnvironmentConfig | null }>(
    preparedAs(
      "package_layers_config",
      sql`select coalesce(environment.config,
          (select config from session_sandboxes where session_id = session.id)) as config
        from sessions as session left join environments as environment on environment.id = session.environment_id
        where session.id = ${sessionId}`,
    ),
  );
  return row?.config ?? null;
}

export interface AskedLayer {
  state: LayerState;
  /** A process builds it, or takes it away. */
  isHeld: boolean;
  manager: PackageManager | null;
  words: string | null;
  endedAt: Date | null;
  askedAt: Date;
}

/** Counts as a use; what is asked for is there from now on. */
export async function askFor(
  on: Queryable,
  { id, hostId, name }: { id: string; hostId: string; name: string },
): Promise<AskedLayer> {
  const [row] = await on.query<AskedLayer>(
    preparedAs(
      "package_layers_ask",
      sql`insert into package_layers as row (id, host_id, name, state, asked_at, used_at)
        values (${id}, ${hostId}, ${name}, 'waiting', statement_timestamp(), statement_timestamp())
        on conflict (id) do update set used_at = excluded.used_at
        returning state, coalesce(lease_until >= statement_timestamp(), false) as "isHeld", manager, words,
          ended_at as "endedAt", statement_timestamp() as "askedAt"`,
    ),
  );
  return row as AskedLayer;
}

/** `isLost`: it is said to be built, and is not there. */
export function takeToBuild(
  on: Queryable,
  { id, owner, isLost }: { id: string; owner: string; isLost: boolean },
): Promise<(ClaimedLayer & Lease)[]> {
  return layerLeases.claim<ClaimedLayer>(on, {
    name: "package_layers_build",
    owner,
    leaseMs: packageLimits.leaseMs,
    where: sql`row.id = ${id} and (row.state <> 'built' or ${isLost})`,
    orderBy: sql`row.id`,
    limit: 1,
    set: sql`state = 'building', began_at = statement_timestamp(), ended_at = null, manager = null, words = null`,
    returning: sql`row.name, 'build' as task`,
  });
}

/** While it is asked for, or a sandbox shows it, it is not taken. */
export function takeToRemove(
  on: Queryable,
  { ids, owner }: { ids: readonly string[]; owner: string },
): Promise<(ClaimedLayer & Lease)[]> {
  return layerLeases.claim<ClaimedLayer>(on, {
    name: "package_layers_remove",
    owner,
    leaseMs: packageLimits.leaseMs,
    where: sql`row.id = any(${ids}::text[])
      and row.used_at < statement_timestamp() - ${packageLimits.unusedMs} * interval '1 millisecond'`,
    orderBy: sql`row.id`,
    limit: packageLimits.sweptAtOnce,
    // What of it is gone is not shown any more, also where this process dies in the middle.
    set: sql`state = 'waiting', bytes = 0`,
    returning: sql`row.name, 'remove' as task`,
  });
}

export async function tellProgress(
  tx: Tx,
  id: string,
  { manager, words }: { manager: PackageManager; words: string },
): Promise<void> {
  await tx.query(
    sql`update package_layers set manager = ${manager}, words = ${words} where id = ${id}`,
  );
}

export interface BuildEnd {
  state: "built" | "failed";
  manager: PackageManager | null;
  words: string | null;
  bytes: number;
}

export async function endBuild(
  tx: Tx,
  id: string,
  { state, manager, words, bytes }: BuildEnd,
): Promise<void> {
  await tx.query(sql`
    update package_layers set state = ${state}, manager = ${manager}, words = ${words}, bytes = ${bytes},
      ended_at = clock_timestamp(), lease_owner = null, lease_until = null
    where id = ${id}`);
}

export async function deleteLayer(tx: Tx, id: string): Promise<void> {
  await tx.query(sql`delete from package_layers where id = ${id}`);
}

export async function tellUsed(on: Queryable, ids: readonly string[]): Promise<void> {
  await on.query(sql`
    update package_layers set used_at = statement_timestamp() where id = any(${ids}::text[])`);
}

export async function knownLayers(on: Queryable, hostId: string): Promise<Set<string>> {
  const rows = await on.query<{ name: string }>(
    sql`select name from package_layers where host_id = ${hostId}`,
  );
  return new Set(rows.map(({ name }) => name));
}

export interface SweptLayer {
  id: string;
  name: string;
  bytes: number;
  /** No session has asked for it, and no sandbox has shown it, for a while. */
  isUnused: boolean;
}

/** Of one machine, those that were used least recently first. */
export function listOfHost(on: Queryable, hostId: string): Promise<SweptLayer[]> {
  return on.query<SweptLayer>(sql`
    select id, name, bytes::float8 as bytes,
      used_at < statement_timestamp() - ${packageLimits.unusedMs} * interval '1 millisecond' as "isUnused"
    from package_layers where host_id = ${hostId} order by used_at, id`);
}

/** Each list of packages that an environment has. */
export async function namedLists(on: Queryable): Promise<EnvironmentConfig[]> {
  const rows = await on.query<{ packages: object }>(sql`
    select distinct config -> 'packages' as packages from environments
    where config ->> 'type' = 'cloud'`);
  return rows.map(({ packages }) => ({ type: "cloud", packages }) as EnvironmentConfig);
}

export interface LayerRow {
  hostId: string;
  state: LayerState;
  manager: PackageManager | null;
  words: string | null;
  bytes: number;
  askedAt: Date;
  beganAt: Date | null;
  endedAt: Date | null;
  usedAt: Date;
}

/** On all machines; the name holds what the machines have in common. */
export function listOfName(on: Queryable, name: string): Promise<LayerRow[]> {
  return on.query<LayerRow>(sql`
    select host_id as "hostId",
      -- Of a process that was killed in the middle of it.
      case when state = 'building' and lease_until < statement_timestamp() then 'waiting' else state end as state,
      manager, words, bytes::float8 as bytes, asked_at as "askedAt", began_at as "beganAt",
      ended_at as "endedAt", used_at as "usedAt"
    from package_layers where name = ${name} order by used_at desc, host_id limit 100`);
}
