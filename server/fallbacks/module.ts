// The face of fallbacks.
export { fallbackBeta, fallbackListBeta, creditBeta, grantsCredit } from "./betas.ts";
export { planHops, nextHop, hopTo, type Hop, type HopPlan, type PlanInput } from "./plan.ts";
export { withoutOurs, type ValidateFor } from "./merge.ts";
export {
  fallbackBlock,
  iterationsOf,
  stopDetails,
  type FallbackBlock,
  type Iteration,
  type RefusalDetails,
  type RefusalFacts,
} from "./answer-fields.ts";
export {
  isOverload,
  isRefusedContinuation,
  excludesContinuation,
  continuationBody,
  declinedCounts,
} from "./continuation.ts";
export { asBlocks, hasServerTools, isThinking } from "./blocks.ts";
export { canonical } from "./canonical.ts";
export { cleanHistory, checkEcho, skeletonOf } from "./echo.ts";
export {
  usesSticky,
  stickyPrefixesOf,
  stickyLookup,
  stickyHop,
  echoFailure,
  stickyStatement,
  type StickyPrefix,
  type ServedAnswer,
  type StickyRoute,
} from "./sticky.ts";
export { mint, type Minted, type MintInput } from "./credit/mint.ts";
export {
  redeem,
  creditUsage,
  reprice,
  isRepriceable,
  type PromptMeasure,
  type NotApplied,
  type Redeemed,
  type RedeemInput,
} from "./credit/redeem.ts";
export type { CacheBreakpoint } from "./credit/token.ts";
export { kinds, schedules } from "./jobs.ts";
