// The face of messages.
import { kinds as cacheKinds, schedules as cacheSchedules } from "./cache/jobs.ts";
import { sweepThreads } from "./threads/jobs.ts";

export { errorWord } from "./run/spans.ts";
export const kinds = [...cacheKinds, sweepThreads.kind];
export const schedules = [...cacheSchedules, sweepThreads.schedule];
export { expectReadable, type FileUse } from "./prepare/files.ts";
export { memoryBudgetsPart } from "./prepare/memory-budget.ts";
export {
  BatchAccounting,
  ledgerAccounting,
  type Accounting,
  type SettledHop,
} from "./run/accounting.ts";
export { askGuard } from "./run/guard.ts";
export { answerRequest, answerWhole } from "./answer/answer.ts";
export type { AnswerReader } from "./answer/hops.ts";
export { prepareRequest } from "./prepare/prepared-request.ts";
export { answerInBatch } from "./service.ts";
export { routes } from "./routes.ts";
export { contextOf as turnContext } from "./threads/service.ts";
export { effortProblem } from "./validate/model.ts";
export { messagesSection } from "./settings.ts";
