// The face of messages.
export { kinds, schedules } from "./cache/jobs.ts";
export { memoryBudgetsPart } from "./prepare/memory-budget.ts";
export {
  BatchAccounting,
  ledgerAccounting,
  type Accounting,
  type SettledHop,
} from "./run/accounting.ts";
export { answerRequest, answerWhole } from "./answer/answer.ts";
export type { AnswerReader } from "./answer/hops.ts";
export { prepareRequest } from "./prepare/prepared-request.ts";
export { answerInBatch } from "./service.ts";
export { routes } from "./routes.ts";
export { effortProblem } from "./validate/model.ts";
