// The levels of what is logged to a client of MCP, from the least on.
import type { LoggingLevel } from "@modelcontextprotocol/server";

export const logLevels = [
  "debug",
  "info",
  "notice",
  "warning",
  "error",
  "critical",
  "alert",
  "emergency",
] as const satisfies readonly LoggingLevel[];

export const isAtLeast = (level: LoggingLevel, least: LoggingLevel): boolean =>
  logLevels.indexOf(level) >= logLevels.indexOf(least);
