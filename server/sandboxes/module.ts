// The face of sandboxes.
export { checkSandboxes } from "./doctor.ts";
export type { DockerSettings } from "./docker/container.ts";
export { openDocker } from "./docker/provider.ts";
export { defaultLimits } from "./limits.ts";
export { openLinux } from "./linux/provider.ts";
export { refusalReasons, shown, type Refusal, type RefusalReason } from "./door/answers.ts";
export { makeDoor } from "./door/door.ts";
export { makeFixedDoors } from "./door/fixed.ts";
export type { DoorOptions } from "./door/reach.ts";
export type { DoorSecret } from "./door/secrets/secrets.ts";
export { makeAuthority, trustedHere } from "./door/secrets/authority.ts";
export { doorLimits } from "./door/limits.ts";
export {
  closedPolicy,
  judge as judgeTarget,
  mayReach,
  type PackageManager,
  policyOf,
  portOf,
  type NetworkPolicy,
} from "./door/policy.ts";
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
  type ExecRequest,
  type ExecResult,
  type FolderChange,
  type FolderFile,
  guaranteeNames,
  inWords,
  SandboxError,
  type SandboxFolder,
  type SandboxLayer,
  type SandboxLimits,
  type SandboxNetwork,
  type SandboxProvider,
} from "./provider.ts";
export {
  limitsAsSet,
  mirrorsOf,
  limitsWithin,
  providerNames as sandboxProviders,
  sandboxSection,
  sandboxSettingsOf,
  type PackageSettings,
  type SandboxSettings,
} from "./settings.ts";
export { systemPath } from "./programs.ts";
export { shellWord } from "./request.ts";
export { optionalTexts, textOf, ToolFault, type ToolInput } from "./tools/input.ts";
export { pictureIn } from "./tools/pictures.ts";
export { cutText, done, failed, type ToolResult } from "./tools/result.ts";
export type { Sandbox } from "./tools/sandbox.ts";
export { runTool, sandboxTools } from "./tools/tools.ts";
export { openVirtual } from "./virtual/provider.ts";
