// The face of the request log.
export { searchables } from "./found/queries.ts";
export { kinds, schedules } from "./jobs.ts";
export {
  answerInShort,
  type AnswerInShort,
  type AnswerRecord,
  type AttemptRecord,
} from "./log/answer-record.ts";
export { knownRecordOf, recordOf, requestLogOf, requestLogPart } from "./log/request-log.ts";
export type { LoggedRequest } from "./log/queries.ts";
export { routes } from "./routes.ts";
export { requestsSection } from "./settings.ts";
