// The face of MCP servers.
import type * as connection from "./connection.ts";

/** The client takes 35 MB and a tenth of a second: it is there when the first server is asked. */
export const connectServer: typeof connection.connectServer = async (...args) =>
  (await import("./connection.ts")).connectServer(...args);

export type { CallOutcome, Resumed } from "./calls.ts";
export type { McpConnection } from "./connection.ts";
export { isOrigin as isPageOrigin } from "./answers/pages.ts";
export type { ToolPage, WholeResult } from "./answers/pages.ts";
export type { ListedTools, Waiting } from "./lists/list.ts";
export {
  deprecatedUntil,
  isDeprecatedOffered,
  SampleProblem,
  type SampleAnswer,
  type SampleRequest,
} from "./questions/sampling.ts";
export type { Progress } from "./answers/progress.ts";
export type { ServerHelp } from "./questions/help.ts";
export {
  AnswerProblem,
  readAnswers,
  type QuestionAnswers,
  type Questions,
  type ServerAsks,
} from "./questions/questions.ts";
export type { TaskHandle, TaskNews, TaskRequests } from "./tasks.ts";
export { limits as mcpLimits } from "./limits.ts";
export { mcpSection, mcpSettingsOf } from "./settings.ts";
export { modelNameOf, remoteNamesOf, type ServerTool } from "./lists/tools.ts";
export { forgetVerdict, verdictsPart } from "./lists/verdicts.ts";
export { effectWords, McpFault, type ServerAddress } from "./wire.ts";
