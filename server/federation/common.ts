// What accounts, issuers and rules share: who changed them, who may, and their names.
import { conflict, forbidden, invalid } from "../../kernel/base/failure.ts";
import type { Context } from "../../kernel/context.ts";
import type { Tx } from "../../kernel/sql/database.ts";
import * as audit from "../audit/module.ts";
import type { ChangeStamps } from "./accounts/queries.ts";

/** As `created_by` and its type store it: the person or the service account. */
export const actingId = ({ who }: Context): string | null =>
  who.userId ?? who.serviceAccountId ?? null;

/** The caller is a person: at the console, or with a token of their own. */
export const isInteractive = ({ who }: Context): boolean => who.serviceAccountId === undefined;

/** Rules SVA2 and FED11: no token widens what tokens may do. */
export function expectConsole(context: Context, what: string): void {
  if (context.who.kind !== "console")
    throw forbidden(`${what} is set in the console: a token may not do it. Sign in there.`);
}

export const nameTakenFailure = (noun: string, name: string) =>
  conflict(`name: a ${noun} named ${name} exists. Choose another name, or archive that one.`);

export const archivedFailure = (noun: string, id: string) =>
  invalid(`The ${noun} ${id} is archived, which is for ever. Create another one.`);

export function expectBelowLimit(noun: string, count: number, most: number): void {
  if (count >= most)
    throw invalid(
      `The organization has ${count} ${noun}s, the most there may be. Archive some first.`,
    );
}

export const toChangeStamps = (row: ChangeStamps) => ({
  created_at: row.created_at.toISOString(),
  created_by_actor_id: row.created_by,
  updated_at: row.updated_at.toISOString(),
  updated_by_actor_id: row.updated_by,
  archived_at: row.archived_at?.toISOString() ?? null,
  archived_by_actor_id: row.archived_by,
});

/** Writes into the audit log what was done to an object of this type. */
export const auditRecorderFor =
  (type: string) =>
  (tx: Tx, context: Context, what: string, id: string, details: Record<string, unknown>) =>
    audit.recordByCaller(tx, context, { action: `${type}.${what}`, target: { type, id }, details });

/** An empty description is stored as none. */
export const cleanDescription = (text: string | null | undefined): string | null =>
  text === undefined || text === null || text.trim() === "" ? null : text.trim();
