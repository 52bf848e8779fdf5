// The face of sandboxes.
export { checkSandboxes } from "./doctor.ts";
export { defaultLimits } from "./limits.ts";
export { openLinux } from "./linux/provider.ts";
export {
  hostIdOf,
  openSandboxes,
  summarizeSandboxes,
  summaryLine,
  summaryOf,
  type SandboxSummary,
} from "./open.ts";
export { guaranteeNames, SandboxError, type SandboxProvider } from "./provider.ts";
export {
  providerNames as sandboxProviders,
  sandboxSection,
  sandboxSettingsOf,
  type SandboxSettings,
} from "./settings.ts";
export { failed, type ToolResult } from "./tools/result.ts";
export type { ToolInput } from "./tools/input.ts";
export { runTool, sandboxTools, type Sandbox } from "./tools/tools.ts";
