// The face of messages.
export { kinds, schedules } from "./cache/jobs.ts";
export { memoryBudgetsPart } from "./prepare/memory-budget.ts";
export { BatchAccounting, type SettledHop } from "./run/accounting.ts";
export { answerInBatch } from "./service.ts";
export { routes } from "./routes.ts";
