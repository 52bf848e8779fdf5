// Statements about agents and their versions.
import type { Queryable, Tx } from "../../kernel/sql/database.ts";
import { sql } from "../../kernel/sql/statement.ts";
import type { AgentConfig } from "./config/schema.ts";

/** A version as it is kept, with what its agent is now. */
export interface AgentVersion {
  id: string;
  version: number;
  config: AgentConfig;
  /** Of the agent. */
  createdAt: Date;
  /** Of the version. */
  updatedAt: Date;
  archivedAt: Date | null;
}

/** A version of this workspace; the newest where none is named. */
export async function findAgentVersion(
  on: Queryable,
  workspaceId: string,
  { id, version = null }: { id: string; version?: number | null },
): Promise<AgentVersion | undefined> {
  const [row] = await on.query<AgentVersion>(sql`
    select agents.id, kept.version, kept.config, agents.created_at as "createdAt",
      kept.created_at as "updatedAt", agents.archived_at as "archivedAt"
    from agents join agent_versions as kept
      on kept.agent_id = agents.id and kept.version = coalesce(${version}::integer, agents.version)
    where agents.workspace_id = ${workspaceId} and agents.id = ${id}`);
  return row;
}

export interface AgentHead {
  version: number;
  archivedAt: Date | null;
}

/** Whoever changes an agent waits here for the one before. */
export async function lockAgent(
  tx: Tx,
  workspaceId: string,
  id: string,
): Promise<AgentHead | undefined> {
  const [row] = await tx.query<AgentHead>(sql`
    select version, archived_at as "archivedAt" from agents
    where workspace_id = ${workspaceId} and id = ${id}
    for no key update`);
  return row;
}

/** Two that make the last agent that is allowed: the second waits, and counts. */
export async function countOpenAgents(tx: Tx, workspaceId: string): Promise<number> {
  await tx.query(sql`select id from workspaces where id = ${workspaceId} for no key update`);
  const [row] = await tx.query<{ count: number }>(sql`
    select count(*)::integer as count from agents
    where workspace_id = ${workspaceId} and archived_at is null`);
  return row?.count ?? 0;
}

export interface NewAgent {
  id: string;
  organizationId: string;
  createdAt: Date;
}

export async function insertAgent(tx: Tx, workspaceId: string, agent: NewAgent): Promise<void> {
  await tx.query(sql`
    insert into agents (id, organization_id, workspace_id, version, created_at)
    values (${agent.id}, ${agent.organizationId}, ${workspaceId}, 0, ${agent.createdAt})`);
}

export interface NewVersion {
  id: string;
  version: number;
  /** As JSON. */
  config: string;
  at: Date;
}

/** The agent is locked, or new; its next version is its newest from now on. */
export async function insertVersion(
  tx: Tx,
  workspaceId: string,
  { id, version, config, at }: NewVersion,
): Promise<void> {
  await tx.query(sql`
    insert into agent_versions (agent_id, version, config, bytes, created_at)
    values (${id}, ${version}, ${config}, ${Buffer.byteLength(config)}, ${at})`);
  await tx.query(sql`
    update agents set version = ${version} where workspace_id = ${workspaceId} and id = ${id}`);
}

export async function setArchived(
  tx: Tx,
  workspaceId: string,
  id: string,
  at: Date,
): Promise<void> {
  await tx.query(sql`
    update agents set archived_at = greatest(${at}, created_at)
    where workspace_id = ${workspaceId} and id = ${id}`);
}

/** Where a version stands in a list, and how large it is. */
export interface ListedVersion {
  id: string;
  version: number;
  bytes: number;
}

export interface AgentFilter {
  includesArchived: boolean;
  from: Date | null;
  to: Date | null;
  /** Older than this one. */
  before: string | null;
  rows: number;
}

export function listAgents(
  on: Queryable,
  workspaceId: string,
  { includesArchived, from, to, before, rows }: AgentFilter,
): Promise<ListedVersion[]> {
  return on.query<ListedVersion>(sql`
    select agents.id, kept.version, kept.bytes
    from agents join agent_versions as kept
      on kept.agent_id = agents.id and kept.version = agents.version
    where agents.workspace_id = ${workspaceId}
      and (${includesArchived} or agents.archived_at is null)
      and (${from}::timestamptz is null or agents.created_at >= ${from})
      and (${to}::timestamptz is null or agents.created_at <= ${to})
      and (${before}::text is null or agents.id < ${before})
    order by agents.id desc limit ${rows}`);
}

export interface VersionFilter {
  id: string;
  /** Older than this one. */
  before: number | null;
  rows: number;
}

export function listVersions(
  on: Queryable,
  workspaceId: string,
  { id, before, rows }: VersionFilter,
): Promise<ListedVersion[]> {
  return on.query<ListedVersion>(sql`
    select kept.agent_id as id, kept.version, kept.bytes
    from agent_versions as kept join agents on agents.id = kept.agent_id
    where agents.workspace_id = ${workspaceId} and kept.agent_id = ${id}
      and (${before}::integer is null or kept.version < ${before})
    order by kept.version desc limit ${rows}`);
}

/** Those of a page, in no order. */
export function loadVersions(
  on: Queryable,
  workspaceId: string,
  wanted: readonly ListedVersion[],
): Promise<AgentVersion[]> {
  return on.query<AgentVersion>(sql`
    select agents.id, kept.version, kept.config, agents.created_at as "createdAt",
      kept.created_at as "updatedAt", agents.archived_at as "archivedAt"
    from unnest(${wanted.map(({ id }) => id)}::text[],
        ${wanted.map(({ version }) => version)}::integer[]) as wanted (id, version)
      join agents on agents.id = wanted.id
      join agent_versions as kept
        on kept.agent_id = wanted.id and kept.version = wanted.version
    where agents.workspace_id = ${workspaceId}`);
}

export interface FoundMember {
  id: string;
  /** Null where the agent has no such version. */
  version: number | null;
  archivedAt: Date | null;
  hasMembers: boolean;
}

/** Agents of this workspace, each with the version that is wanted, or its newest. */
export function findMembers(
  on: Queryable,
  workspaceId: string,
  wanted: readonly { id: string; version: number | null }[],
): Promise<FoundMember[]> {
  return on.query<FoundMember>(sql`
    select agents.id, kept.version, agents.archived_at as "archivedAt",
      kept.config ->> 'multiagent' is not null as "hasMembers"
    from unnest(${wanted.map(({ id }) => id)}::text[],
        ${wanted.map(({ version }) => version)}::integer[]) as wanted (id, version)
      join agents on agents.id = wanted.id
      left join agent_versions as kept on kept.agent_id = agents.id
        and kept.version = coalesce(wanted.version, agents.version)
    where agents.workspace_id = ${workspaceId}`);
}
