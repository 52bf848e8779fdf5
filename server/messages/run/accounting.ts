// Where the hops of a request are admitted and recorded: at once, or together with what a batch keeps.
import assert from "node:assert/strict";
import type { Actor } from "../../../kernel/context.ts";
import { admit, type Admission, type AdmissionRequest, type Prefix } from "../../limits/module.ts";
import {
  expectAmounts,
  ledgerOf,
  meterSettled,
  type Ledger,
  type NewHop,
  type Settlement,
} from "../../usage/module.ts";

export interface Accounting {
  readonly isBatch: boolean;
  admit(actor: Actor, asked: AdmissionRequest): Admission | Promise<Admission>;
  ledger(actor: Actor): Pick<Ledger, "open" | "close" | "whenWritten">;
}

const accountingWith = (prefix: Prefix): Accounting => ({
  isBatch: false,
  admit: (actor, asked) => admit(actor, { ...asked, prefix }),
  ledger: ledgerOf,
});

/** Every hop is reserved before, and settled when it ends; by how the headers begin that show the limits. */
export const ledgerAccounting: Readonly<Record<Prefix, Accounting>> = {
  vendor: accountingWith("vendor"),
  anthropic: accountingWith("anthropic"),
};

/** A hop that ended, as it is to be written. */
export interface SettledHop {
  hop: NewHop;
  settlement: Settlement;
}

/** What one request of a batch has cost, not recorded yet: the job that keeps its result writes both. */
export class BatchAccounting implements Accounting {
  readonly isBatch = true;
  readonly settledHops: SettledHop[] = [];
  readonly #open = new Map<string, NewHop>();

  /**
   * Batches wait for no rate limit, and pass a spend limit by what is under way: only one that is reached refuses. What
   * an answer costs is taken as soon as it is known, not when it is written.
   */
  async admit(actor: Actor, asked: AdmissionRequest): Promise<Admission> {
    return admit(actor, { ...asked, reserveNano: 1, isBackground: true });
  }

  ledger({
    instruments,
  }: Pick<Actor, "instruments">): Pick<Ledger, "open" | "close" | "whenWritten"> {
    return {
      open: async (hop) => void this.#open.set(hop.id, hop),
      close: async (id, settlement) => {
        const hop = this.#open.get(id);
        if (hop === undefined) assert.fail(`There is no open hop ${id} to settle.`);
        expectAmounts(settlement);
        this.settledHops.push({ hop, settlement });
        meterSettled({ instruments }, hop.payer.model, settlement);
      },
      whenWritten: async () => {},
    };
  }
}
