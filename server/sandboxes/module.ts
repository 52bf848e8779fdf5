// The face of sandboxes.
export { defaultLimits } from "./limits.ts";
export { openLinux } from "./linux/provider.ts";
export { guaranteeNames, SandboxError, type Probe, type SandboxProvider } from "./provider.ts";
