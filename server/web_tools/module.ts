// The face of the tools of the web.
export type { WebAccounting, WebUse } from "./accounting.ts";
export { readWebSettings, webSection } from "./settings.ts";
export {
  offeredWebTools,
  runWebTool,
  webTools,
  webToolsOf,
  type OfferedWebTool,
  type WebCall,
  type WebToolResult,
} from "./tools.ts";
