// The face of usage.
export {
  spendOfMonth,
  usedSince,
  type MonthSpend,
  type RecentUsage,
} from "./sums/queries-recent.ts";
export { minorOf, minorOfHalves, priceOf } from "./price.ts";
export {
  type UsageSelection,
  type Dimension,
  type Horizon,
  type OrderBy,
  type Width,
} from "./sums/queries-facts.ts";
export { pricedClasses, readHorizon, selectUsage, type UsageSum } from "./sums/queries-report.ts";
export { kinds, schedules } from "./jobs.ts";
export { advanceSums } from "./sums/sums.ts";
export { expectAmounts, makeLedger, type ProcessLedger } from "./ledger/ledger.ts";
export { meterSettled } from "./meter.ts";
export { failedRows } from "./journal/queries.ts";
export { postJournal } from "./journal/post.ts";
export { ledgerOf, ledgerPart, nodeOf, nodePart, startLedger } from "./process-ledger.ts";
export {
  insertSettledAttempts,
  journalSettledAttempts,
  type SettledAttempt,
} from "./ledger/write-unreserved.ts";
export { holdsNode } from "./queries-nodes.ts";
export { makeNode, type Node, type NodeWorld } from "./node.ts";
export type {
  HopKind,
  Ledger,
  NewHop,
  Origin,
  Payer,
  Settlement,
  WrittenOutcome,
} from "./schema.ts";
