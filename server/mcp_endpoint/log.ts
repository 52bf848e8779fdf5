// What clients are told of how their calls are worked on, where they ask for it: Logging, which the revision 2026-07-28
// deprecates, and which ends with a date.
import { LOG_LEVEL_META_KEY, type LoggingLevel, type Server } from "@modelcontextprotocol/server";
import type { World } from "../../kernel/context.ts";
import { isDeprecatedOffered } from "../mcp_client/module.ts";
import { isAtLeast } from "./log-levels.ts";
import { levelParams } from "./readable/params.ts";

/** Of the session of a client of an older revision. */
export interface SessionLog {
  level: LoggingLevel | null;
  setLevel: (level: LoggingLevel) => Promise<void>;
}

export type Log = (level: LoggingLevel, data: Record<string, unknown>) => Promise<void>;

export const loggingCapability = (world: World) =>
  isDeprecatedOffered(world) ? { logging: {} } : {};

export function handleLogging(world: World, server: Server, { setLevel }: SessionLog): void {
  if (!isDeprecatedOffered(world)) return;
  server.setRequestHandler("logging/setLevel", levelParams, async ({ level }) => {
    await setLevel(level);
    return {};
  });
}

interface Told {
  envelope?: object;
  notify: (message: {
    method: "notifications/message";
    params: { level: LoggingLevel; logger: string; data: unknown };
  }) => Promise<void>;
}

/** Unless the request, or the session before it, has named a level, nothing is told. */
export function logOf(world: World, { envelope, notify }: Told, session?: SessionLog): Log {
  const named = (envelope as Record<string, LoggingLevel> | undefined)?.[LOG_LEVEL_META_KEY];
  const level = named ?? session?.level ?? null;
  if (level === null || !isDeprecatedOffered(world)) return async () => {};
  return async (at, data) => {
    if (!isAtLeast(at, level)) return;
    await notify({
      method: "notifications/message",
      params: { level: at, logger: "plinth", data },
    });
  };
}
