// Bridges of a server, at `/mcp/bridges/{name}`: each process has its own sessions with the servers behind.
import { notFound } from "../../kernel/base/failure.ts";
import type { Context, World } from "../../kernel/context.ts";
import type { Route } from "../../kernel/http/route.ts";
import { part } from "../../kernel/work/parts.ts";
import { mcpRoute } from "../mcp_endpoint/module.ts";
import { makeFixedDoors, sandboxSettingsOf, shown } from "../sandboxes/module.ts";
import { sandboxesPart } from "../sessions/module.ts";
import type { SandboxMaker } from "./behind/sandboxed.ts";
import type { Upstream } from "./behind/session.ts";
import { bridgeSettings, type BridgeSettings } from "./settings.ts";

interface Mounted {
  answer(request: Request, message: unknown, context: Context): Promise<Response>;
  close(): Promise<void>;
}

export const bridgesPart = part("bridges to MCP servers", {
  needs: [sandboxesPart],
  make: (_world: World) => new Map<string, Promise<Mounted>>(),
  start: (_world, mounted) => async () => {
    for (const each of mounted.values()) await (await each).close();
  },
});

export const bridgeRoute = (world: World): Route =>
  mcpRoute(world, {
    operation: "mcp.bridge",
    path: "/mcp/bridges/{name}",
    summary: "An older MCP server behind this one.",
    answer: async (request, message, context, { name = "" }) => {
      const settings = bridgeSettings(world, name);
      const { workspaceId } = context.who;
      if (settings === undefined || !isFor(settings, workspaceId))
        throw notFound("MCP bridge", name);
      const all = bridgesPart.of(world);
      let mounted = all.get(name);
      if (mounted === undefined) all.set(name, (mounted = mount(world, name, settings)));
      return (await mounted).answer(request, message, context);
    },
  });

const isFor = ({ workspaces }: BridgeSettings, workspaceId: string | null) =>
  workspaces === undefined || (workspaceId !== null && workspaces.includes(workspaceId));

/** A command is in a sandbox of the kind that the settings name for sessions. */
function upstreamOf(world: World, name: string, behind: BridgeSettings): Upstream {
  const { url, headers = {}, command = [], env = {}, folders = [], hosts } = behind;
  if (url !== undefined) return { kind: "http", passAuthorization: false, url, headers };
  const [program = "", ...args] = command;
  const { logger } = world;
  const doorOf = makeFixedDoors({
    world,
    policy:
      hosts === undefined
        ? { type: "unrestricted" }
        : { type: "limited", hosts: hosts.map((host) => ({ host: host.toLowerCase() })) },
    ruledBy: {
      by: "mcp_bridges of the settings",
      mend: `Who runs the server may add it to mcp_bridges.${name}.hosts.`,
    },
    onRefused: ({ host, port }, bridge) =>
      logger.info({ bridge, host: `${shown(host)}:${port}` }, "a command may not reach a host"),
  });
  const sandbox: SandboxMaker = {
    provider: () => sandboxesPart.of(world).provider(),
    limits: sandboxSettingsOf(world).limits,
    folders,
    network: () => doorOf(name),
    onErrors: (bytes) =>
      logger.debug({ bridge: name, line: bytes.toString() }, "a command wrote to standard error"),
  };
  return { kind: "command", command: program, args, env, sandbox };
}

/** The packages of MCP are there when the first client asks. */
async function mount(
  world: World,
  name: string,
  { sessions_max, ...behind }: BridgeSettings,
): Promise<Mounted> {
  const { server, clock } = world;
  const [{ makeBridge }, { Upstreams }] = await Promise.all([
    import("./bridge.ts"),
    import("./behind/upstreams.ts"),
  ]);
  const upstreams = new Upstreams(upstreamOf(world, name, behind), {
    version: server.version,
    clock,
    ...(sessions_max && { sessionsMax: sessions_max }),
  });
  const bridge = makeBridge(upstreams, { clock });
  return {
    answer: (request, message, { who }) => {
      const holder = [who.organizationId, who.workspaceId, who.credentialId].join(" ");
      // An answer may come to another process than the one whose call waits for it: clients are not asked.
      const caller = { holder, authorization: undefined, capabilities: {} };
      return bridge.answerMessage(request, message, caller);
    },
    async close() {
      await bridge.close();
      await upstreams.close();
    },
  };
}
