// The face of sandboxes.
export { checkSandboxes } from "./doctor.ts";
export { defaultLimits } from "./limits.ts";
export { openLinux } from "./linux/provider.ts";
export { guaranteeNames, SandboxError, type SandboxProvider } from "./provider.ts";
