// The face of the bridge to older MCP servers; only its command loads it.
export { makeBridge } from "./bridge.ts";
export { listen } from "./listen.ts";
export { makeUpstreams, type Upstream } from "./upstreams.ts";
