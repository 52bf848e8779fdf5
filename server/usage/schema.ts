// What the ledger takes in: an attempt that begins, and how it ended.
import type { Statement } from "../../kernel/sql/statement.ts";
import type { Prices, TokenCounts } from "../models/module.ts";

/**
 * A search or a page of the web, and the time in which a session ran, are attempts, too: on no model, without tokens,
 * at prices of their own.
 */
export type HopKind =
  | "message"
  | "batch"
  | "agent"
  | "guard"
  | "web_search"
  | "web_fetch"
  | "session_time";
/**
 * How an attempt ended, as the process writes it that made it. The ledger has a fifth, `lost`: written for an attempt
 * whose process died (`settleLost` in ledger/queries.ts), until that process shows up and says better.
 */
export type WrittenOutcome = "served" | "declined" | "failed" | "cut";

/** By which way an attempt was asked for. */
export type Origin = "api" | "batch" | "console" | "session";

/** Who pays for an attempt, and for what: one value, which attempts of a group share. */
export interface Payer {
  organizationId: string;
  workspaceId: string;
  credentialId: string;
  /** A member, or a service account. */
  userId: string | null;
  model: string;
  upstream: string;
  kind: HopKind;
  serviceTier?: string | null;
  speed?: string | null;
  /** Where the request asked to be answered. */
  inferenceGeo?: string | null;
  /** Those that it is settled by: reports tell the cost of each class of tokens from them. */
  prices?: Prices;
  /** Who made the key, where a key asked. */
  keyMakerId?: string | null;
  origin?: Origin;
  sessionId?: string | null;
  agentId?: string | null;
  deploymentId?: string | null;
  environmentId?: string | null;
}

export interface NewHop {
  /** "hop_…" */
  id: string;
  requestId: string;
  payer: Payer;
  /** The most that it may cost. */
  reserveNano: number;
  at: Date;
}

export interface Settlement {
  outcome: WrittenOutcome;
  counts: TokenCounts;
  amountNano: number;
  /** Without discounts. */
  listAmountNano: number;
  /** The upstream did not say: this server counted. */
  estimated: boolean;
  /** Rows that commit with the close; if they cannot be written, the close is written without them. */
  with?: readonly Statement[];
}

export interface Ledger {
  /** Resolves when the reservation is durable; fails with 503 where the database stays away, and nothing is charged. */
  open(hop: NewHop): Promise<void>;
  /** Resolves when the settlement is durable: goes on through a lost database, for as long as the process lives. */
  close(hopId: string, settlement: Settlement): Promise<void>;
  /**
   * Resolves when this process has nothing left to write for the hop: after an open that failed, that is
   * when what may have been written of it is settled at zero, and its reservation may be given back.
   */
  whenWritten(hopId: string): Promise<void>;
  /** Resolves once nothing waits any more, and what was settled is in the tables that reports read. */
  drain(): Promise<void>;
}
