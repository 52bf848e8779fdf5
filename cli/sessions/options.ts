// Options of the `plinth sessions` commands, as commander hands them over.
import { InvalidArgumentError } from "commander";
import type { Flags } from "../options.ts";
import type { ListFlags } from "../workspace-calls.ts";

export const statuses = ["idle", "running", "rescheduling", "terminated"] as const;

export interface Store {
  type: "memory_store";
  memory_store_id: string;
  access?: "read_only" | "read_write";
}

export interface Budget {
  type: "limit";
  max_list_cost: { amount: string; currency: "USD" };
}

export interface RunFlags extends Flags {
  session?: string;
  environment?: string;
  title?: string;
  budget?: Budget;
  store?: Store[];
  vault?: string[];
}

export interface SessionListFlags extends ListFlags {
  agent?: string;
  status?: (typeof statuses)[number][];
}

export interface EventFlags extends Flags {
  follow?: boolean;
  types?: string[];
  since?: string;
}

export interface SendFlags extends Flags {
  wait?: boolean;
}

export interface ConfirmFlags extends Flags {
  why?: string;
}

export interface AnswerFlags extends Flags {
  error?: boolean;
}

export interface UpdateFlags extends Flags {
  title?: string;
  budget?: Budget | "none";
  metadata?: Record<string, string>;
}

/** Dollars as people write them; the API has whole cents as text. */
export function budget(text: string): Budget {
  const [, dollars = "", cents = ""] = /^\$?(\d{1,9})(?:\.(\d{1,2}))?$/.exec(text) ?? [];
  const amount = Number(`${dollars}${cents.padEnd(2, "0")}`);
  if (dollars === "" || amount === 0)
    throw new InvalidArgumentError("It must be an amount of dollars, such as 2.50.");
  return { type: "limit", max_list_cost: { amount: String(amount), currency: "USD" } };
}

export const budgetOrNone = (text: string): Budget | "none" =>
  text === "none" ? text : budget(text);

/** `memstore_…`, or `memstore_…:read_only`; once for each store. */
export function store(text: string, before: Store[] = []): Store[] {
  const [id = "", access, ...more] = text.split(":");
  const isAccess = access === undefined || access === "read_only" || access === "read_write";
  if (!/^\w[\w-]*$/.test(id) || !isAccess || more.length > 0)
    throw new InvalidArgumentError(
      "It must be the id of a memory store, such as memstore_01m7…, and :read_only behind it if it is not to be written.",
    );
  const added = { type: "memory_store" as const, memory_store_id: id };
  return [...before, access === undefined ? added : { ...added, access }];
}

export const vaultOption = [
  "--vault <vault>",
  "a vault whose credentials the agent uses, by name or id; once for each",
  (text: string, before: readonly string[] = []): string[] => [...before, text],
] as const;

export const names = (text: string): string[] =>
  text
    .split(",")
    .map((name) => name.trim())
    .filter((name) => name !== "");
