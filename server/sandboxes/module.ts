// The face of sandboxes.
export { checkSandboxes } from "./doctor.ts";
export { defaultLimits } from "./limits.ts";
export { openLinux } from "./linux/provider.ts";
export { guaranteeNames, SandboxError, type SandboxProvider } from "./provider.ts";
export { runTool, sandboxTools, type Sandbox } from "./tools/tools.ts";
