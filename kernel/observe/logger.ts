// The log: one line of JSON (or a few for people) per event, with every secret taken out on the
// way.
import sonicBoom from "sonic-boom";
import { systemClock, type Clock } from "../base/clock.ts";
import type { Logger } from "../base/logger.ts";
import { prettyLine } from "./pretty.ts";
import { redactedJson, redactText } from "./redact.ts";

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

export function openLogger(options: LoggerOptions): Logger {
  const { format, level, clock = systemClock } = options;
  const outlet = options.destination ?? standardError();
  const color = options.color ?? (options.destination === undefined && process.stderr.isTTY);
  const write = (line: string) =>
    void outlet.write(format === "json" ? line : prettyLine(line, color));
  const flush = "flush" in outlet && typeof outlet.flush === "function" ? outlet.flush : () => {};
  const weightMin = logLevels.indexOf(level);
  return loggerWith("", { write, flush: () => void flush(), clock, weightMin });
}

interface Outlet {
  write(line: string): void;
  flush(): void;
  clock: Clock;
  weightMin: number;
}

/** `bound` is JSON, with a comma in front, of what `child` was given. */
function loggerWith(bound: string, outlet: Outlet): Logger {
  const at = (level: "debug" | "info" | "warn" | "error") => {
    if (logLevels.indexOf(level) < outlet.weightMin) return () => {};
    const isUrgent = level === "warn" || level === "error";
    return (fields: object, message: string) => {
      const time = outlet.clock.now().toISOString();
      const told = JSON.stringify(redactText(message));
      outlet.write(
        `{"level":"${level}","time":"${time}","pid":${process.pid}${bound}${safely(fields)},"message":${told}}\n`,
      );
      if (isUrgent) outlet.flush();
    };
  };
  return {
    debug: at("debug"),
    info: at("info"),
    warn: at("warn"),
    error: at("error"),
    child: (fields) => loggerWith(bound + safely(fields), outlet),
  };
}

/** A full pipe must not hold more than this in our memory. */
const heldCharactersMax = 64 * 1024;

/**
 * Lines of one turn of the event loop go out in one write: the call costs 4 µs, more than making the
 * line. Warnings and errors go out before their call returns, so that a crash cannot swallow its reason.
 */
function standardError() {
  const target = new sonicBoom.SonicBoom({ fd: 2, sync: true });
  let held = "";
  const flush = () => {
    if (held === "") return;
    const lines = held;
    held = "";
    target.write(lines);
  };
  process.on("exit", flush);
  return {
    flush,
    write: (line: string) => {
      if (held === "") setImmediate(flush);
      held += line;
      if (held.length > heldCharactersMax) flush();
    },
  };
}

const ownNames = ["level", "time", "message", "pid"];

/** A log line must never be what breaks a request, not even over a getter that throws. */
function safely(fields: object): string {
  try {
    // A bare error in the place of the fields is what people write by mistake; it is told all the
    // same.
    const told = fields instanceof Error ? { error: fields } : fields;
    const json = redactedJson(ownNames.some((name) => name in told) ? rename(told) : told);
    return json === "{}" ? "" : `,${json.slice(1, -1)}`;
  } catch (error) {
    return `,"unloggable":${JSON.stringify(redactText(String(error)))}`;
  }
}

const rename = (fields: object) =>
  Object.fromEntries(
    Object.entries(fields).map(([name, value]: [string, unknown]) => [
      ownNames.includes(name) ? `${name}_field` : name,
      value,
    ]),
  );
