// The face of the bridge to older MCP servers; only its command loads it.
export { makeBridge } from "./bridge.ts";
export { limits } from "./limits.ts";
export { listen } from "./listen.ts";
export type { Upstream } from "./behind/session.ts";
export { Upstreams } from "./behind/upstreams.ts";
