// The face of sandboxes.
export { checkSandboxes } from "./doctor.ts";
export { defaultLimits } from "./limits.ts";
export { openLinux } from "./linux/provider.ts";
export { networkPart, openNetwork } from "./network.ts";
export {
  hostIdOf,
  missingOf,
  openSandboxes,
  summarizeSandboxes,
  summaryLine,
  summaryOf,
  type SandboxSummary,
} from "./open.ts";
export {
  guaranteeNames,
  SandboxError,
  type SandboxLimits,
  type SandboxNetwork,
  type SandboxProvider,
} from "./provider.ts";
export {
  limitsAsSet,
  limitsWithin,
  sandboxSection,
  sandboxSettingsOf,
  type SandboxSettings,
} from "./settings.ts";
export { routes } from "./refusals/routes.ts";
export { failed, type ToolResult } from "./tools/result.ts";
export { runTool, sandboxTools, type Sandbox } from "./tools/tools.ts";
