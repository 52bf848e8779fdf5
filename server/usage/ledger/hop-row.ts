// A hop as it is written to the ledger.
import type { NewHop, Settlement } from "../schema.ts";
import type { PayerRow, PayerRows } from "./payers.ts";

export interface HopRow extends Omit<NewHop, "payer"> {
  /** Of all attempts with the same payer it is the same. */
  payer: PayerRow;
}

export interface CloseRow {
  hop: HopRow;
  settlement: Settlement;
}

/** `day` as `2026-11-21`, by the clock of the node. */
export const hopRowOf = ({ payer, ...hop }: NewHop, day: string, payers: PayerRows): HopRow => ({
  ...hop,
  payer: payers.rowOf(payer, day),
});
