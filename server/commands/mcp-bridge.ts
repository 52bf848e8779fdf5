// `plinth mcp bridge`: an MCP server of an older revision, or a command, at an address of 2026-07-28.
import { once } from "node:events";
import { homedir } from "node:os";
import { join, resolve } from "node:path";
import { systemClock } from "../../kernel/base/clock.ts";
import { ExitError } from "../../kernel/base/failure.ts";
import { systemRandom } from "../../kernel/base/random.ts";
import { limits, loadBridge, type Upstream } from "../mcp_bridge/module.ts";
import { version } from "../../kernel/base/version.ts";
import { networkOf } from "./networking.ts";
import { loadServerSettings, type Flags } from "./settings.ts";

interface BridgeTerminal {
  env: Readonly<Record<string, string | undefined>>;
  write(text: string): void;
  note(text: string): void;
}

export async function bridge(words: string[], flags: Flags, terminal: BridgeTerminal) {
  const upstream = upstreamOf(words, flags, terminal.env);
  const { host, port } = addressOf(String(flags["listen"]));
  const sessionsMax = wholeOf(flags, "sessionsMax", "--sessions-max");
  const heldMs = wholeOf(flags, "heldSeconds", "--held-seconds", limits.heldSecondsMax) * 1_000;
  const policy = networkOf(flags);
  const { listen, makeBridge, Upstreams, openOwnSandboxes } = await loadBridge();
  const sandboxes = isSandboxed(upstream, flags)
    ? await openOwnSandboxes({
        clock: systemClock,
        random: systemRandom,
        directory: directoryOf(flags),
        sections: loadServerSettings({ config: flags["config"] }).sections,
        policy,
        folders: ((flags["folder"] ?? []) as string[]).map((folder) => resolve(folder)),
        note: terminal.note,
        onErrors: (bytes) => terminal.note(bytes.toString()),
      })
    : undefined;
  const behind = { ...upstream, ...(sandboxes && { sandbox: sandboxes.maker }) };
  const upstreams = new Upstreams(behind, { sessionsMax, version, clock: systemClock });
  const handler = makeBridge(upstreams, { heldMs });
  const hear = Promise.race(["SIGINT", "SIGTERM", "SIGHUP"].map((name) => once(process, name)));
  const listening = await listen(handler.answer, {
    host,
    port,
    allowedHosts: (flags["allowHost"] ?? []) as string[],
    fault: (error) => terminal.note(`${error instanceof Error ? error.message : "failed"}\n`),
  }).catch((error: unknown) => {
    throw new ExitError(`It cannot listen at ${host}:${port}: ${(error as Error).message}`);
  });
  terminal.write(`MCP bridge: ${listening.url}\n`);
  await hear;
  await listening.close();
  await handler.close();
  await upstreams.close();
  await sandboxes?.close();
}

const directoryOf = ({ directory }: Flags) =>
  typeof directory === "string" ? resolve(directory) : join(homedir(), ".plinth-mcp-bridge");

/** What is said of sandboxes holds for a command in one. */
function isSandboxed({ kind }: Upstream, { sandbox, folder, hosts, networking }: Flags): boolean {
  if (kind === "command" && sandbox !== false) return true;
  if ([folder, hosts, networking].some((each) => each !== undefined))
    throw new ExitError("--folder, --hosts and --networking go with a command in a sandbox.", 2);
  return false;
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
  const own = flags["sandbox"] === false ? ["PATH", "HOME"] : [];
  const names = [...own, ...((flags["env"] ?? []) as string[])];
  const given = names.flatMap((name) => (env[name] === undefined ? [] : [[name, env[name]]]));
  return { kind: "command", command: command ?? "", args, env: Object.fromEntries(given) };
}

function addressOf(given: string): { host: string; port: number } {
  const [, host, digits] = /^([\w.-]+|\[[\da-f:.]+\]):(\d{1,5})$/i.exec(given) ?? [];
  if (host === undefined || Number(digits) > 65_535)
    throw new ExitError("--listen: say HOST:PORT, such as 127.0.0.1:8790; port 0 is any.", 2);
  return { host, port: Number(digits) };
}

function wholeOf(flags: Flags, name: string, flag: string, most = 10_000): number {
  const value = Number(flags[name]);
  if (!Number.isInteger(value) || value < 1 || value > most)
    throw new ExitError(`${flag}: say a whole number from 1 to ${most}.`, 2);
  return value;
}
