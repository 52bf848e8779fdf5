// `plinth mcp bridge`: an MCP server of the older revision, or a command, at an address of 2026-07-28.
import { once } from "node:events";
import { systemClock } from "../../kernel/base/clock.ts";
import { ExitError } from "../../kernel/base/failure.ts";
import { listen, makeBridge, makeUpstreams, type Upstream } from "../mcp_bridge/module.ts";
import { version } from "../version.ts";
import type { Flags } from "./settings.ts";

interface BridgeTerminal {
  env: Readonly<Record<string, string | undefined>>;
  write(text: string): void;
  note(text: string): void;
}

export async function bridge(words: string[], flags: Flags, terminal: BridgeTerminal) {
  const upstream = upstreamOf(words, flags, terminal.env);
  const sessionsMax = Number(flags["sessionsMax"]);
  if (!Number.isInteger(sessionsMax) || sessionsMax < 1)
    throw new ExitError("--sessions-max: say a whole number from 1 on.", 2);
  const address = `http://${String(flags["listen"])}`;
  if (!URL.canParse(address)) throw new ExitError("--listen: say HOST:PORT.", 2);
  const { hostname, port } = new URL(address);
  const upstreams = makeUpstreams(upstream, { sessionsMax, version, clock: systemClock });
  const handler = makeBridge(upstreams);
  const listening = await listen(handler.fetch, {
    host: hostname,
    port: Number(port),
    allowedHosts: (flags["allowHost"] ?? []) as string[],
    fault: (error) => terminal.note(`${error instanceof Error ? error.message : "failed"}\n`),
  });
  terminal.write(`MCP bridge: ${listening.url}\n`);
  await Promise.race([once(process, "SIGINT"), once(process, "SIGTERM")]);
  await listening.close();
  await handler.close();
  await upstreams.close();
}

function upstreamOf(words: string[], flags: Flags, env: BridgeTerminal["env"]): Upstream {
  const [command, ...args] = words;
  const url = flags["url"] as string | undefined;
  if ((command === undefined) === (url === undefined))
    throw new ExitError("Say --url URL, or -- and a command with its arguments; one of both.", 2);
  if (url !== undefined) {
    if (!/^https?:/.test(url) || !URL.canParse(url))
      throw new ExitError("--url: say an address with http or https.", 2);
    return { kind: "http", url, passAuthorization: flags["passAuthorization"] === true };
  }
  const names = ["PATH", ...((flags["env"] ?? []) as string[])];
  const given = names.flatMap((name) => (env[name] === undefined ? [] : [[name, env[name]]]));
  return { kind: "command", command: command ?? "", args, env: Object.fromEntries(given) };
}
