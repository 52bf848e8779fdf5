// The face of the bridge to older MCP servers: of one that is a program by itself, and of those of a server.
export { limits } from "./limits.ts";
export { bridgeRoute, bridgesPart } from "./mounted.ts";
export { bridgesSection, readBridges } from "./settings.ts";
export type { Upstream } from "./behind/session.ts";

/** The packages of MCP take a tenth of a second. */
export async function loadBridge() {
  const [{ makeBridge }, { Upstreams }, { listen }, { openOwnSandboxes }] = await Promise.all([
    import("./bridge.ts"),
    import("./behind/upstreams.ts"),
    import("./listen.ts"),
    import("./sandboxes.ts"),
  ]);
  return { makeBridge, Upstreams, listen, openOwnSandboxes };
}
