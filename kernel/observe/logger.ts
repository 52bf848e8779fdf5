// The log: one line of JSON (or a few for people) per event, with every secret taken out on the
// way.
import { pino, type DestinationStream, type Logger as Pino } from "pino";
import { systemClock, type Clock } from "../base/clock.ts";
import type { Logger } from "../base/logger.ts";
import { prettyLine } from "./pretty.ts";
import { redactFields, redactText } from "./redact.ts";

export const logLevels = ["debug", "info", "warn", "error", "silent"] as const;
export type LogLevel = (typeof logLevels)[number];
export const logFormats = ["json", "pretty"] as const;
export type LogFormat = (typeof logFormats)[number];

export interface LoggerOptions {
  format: LogFormat;
  level: LogLevel;
  /** Standard error by default: standard output belongs to what a command prints. */
  destination?: { write(text: string): unknown };
  /** Only for "pretty". */
  color?: boolean;
  clock?: Clock;
}

/**
 * Lines are written before the call returns: about 5 µs each, and what was logged before a crash is there.
 */
export function openLogger(options: LoggerOptions): Logger {
  const { format, level, clock = systemClock } = options;
  const target = options.destination ?? pino.destination({ dest: 2, sync: true });
  const color = options.color ?? (options.destination === undefined && process.stderr.isTTY);
  const stream: DestinationStream = {
    write: (line) => void target.write(format === "json" ? line : prettyLine(line, color)),
  };
  const settings = {
    level,
    messageKey: "message",
    base: { pid: process.pid },
    timestamp: () => `,"time":"${clock.now().toISOString()}"`,
    formatters: { level: (label: string) => ({ level: label }) },
  };
  return wrap(pino(settings, stream));
}

function wrap(inner: Pino): Logger {
  const at = (level: "debug" | "info" | "warn" | "error") => (fields: object, message: string) => {
    if (!inner.isLevelEnabled(level)) return;
    inner[level](safely(fields), redactText(message));
  };
  return {
    debug: at("debug"),
    info: at("info"),
    warn: at("warn"),
    error: at("error"),
    child: (fields) => wrap(inner.child(safely(fields))),
  };
}

/** A log line must never be what breaks a request, not even over a getter that throws. */
function safely(fields: object): Record<string, unknown> {
  try {
    // A bare error in the place of the fields is what people write by mistake; it is told all the
    // same.
    const clean = redactFields(fields instanceof Error ? { error: fields } : fields);
    for (const name of ["level", "time", "message", "pid"])
      if (name in clean) {
        clean[`${name}_field`] = clean[name];
        delete clean[name];
      }
    return clean;
  } catch (error) {
    return { unloggable: redactText(String(error)) };
  }
}
