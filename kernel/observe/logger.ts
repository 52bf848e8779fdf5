// The log: one line of JSON (or a few for people) per event, with every secret taken out.
import { inspect, styleText } from "node:util";
import sonicBoom from "sonic-boom";
import { systemClock, type Clock } from "../base/clock.ts";
import { parseExactly } from "../base/exact-json.ts";
import type { Logger } from "../base/logger.ts";
import { JsonFields, redactedJson, redactText } from "./redact.ts";

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
  const timeOf = makeTimeText();
  return loggerWith("", { write, flush: () => void flush(), clock, timeOf, weightMin });
}

interface Outlet {
  write(line: string): void;
  flush(): void;
  clock: Clock;
  timeOf(time: Date): string;
  weightMin: number;
}

/** `bound` is JSON, with a comma in front, of what `child` was given. */
function loggerWith(bound: string, outlet: Outlet): Logger {
  const at = (level: "debug" | "info" | "warn" | "error") => {
    if (logLevels.indexOf(level) < outlet.weightMin) return () => {};
    const isUrgent = level === "warn" || level === "error";
    const head = `{"level":"${level}","time":"`;
    const afterTime = `","pid":${process.pid}${bound}`;
    return (fields: object, message: string) => {
      const time = outlet.timeOf(outlet.clock.now());
      outlet.write(
        `${head}${time}${afterTime}${safely(fields)},"message":${messageJson(message)}}\n`,
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

/** As toISOString has it, of which only the milliseconds are new in most lines: 0.1 µs instead of 0.4. */
function makeTimeText() {
  let second = Number.NaN;
  let text = "";
  return (time: Date): string => {
    const ms = time.getTime();
    const now = Math.floor(ms / 1_000);
    if (now !== second) {
      text = time.toISOString().slice(0, -4);
      second = now;
    }
    const rest = ms - now * 1_000;
    return `${text}${rest < 10 ? "00" : rest < 100 ? "0" : ""}${rest}Z`;
  };
}

/** Messages are written in the code, and few: what is longer than any of them, or one too many, is not kept. */
const messagesKept = 500;
const messageCharactersKept = 200;
const messages = new Map<string, string>();

function messageJson(message: string): string {
  const known = messages.get(message);
  if (known !== undefined) return known;
  const json = JSON.stringify(redactText(message));
  if (messages.size < messagesKept && message.length <= messageCharactersKept)
    messages.set(message, json);
  return json;
}

/** A full pipe must not keep more than this in memory. */
const bufferedCharactersMax = 64 * 1024;

/**
 * Lines of one iteration of the event loop go out in one write: the call costs 4 µs, more than making the
 * line. Warnings and errors go out before their call returns, so that a crash cannot swallow its reason.
 */
function standardError() {
  const target = new sonicBoom.SonicBoom({ fd: 2, sync: true });
  let buffered = "";
  const flush = () => {
    if (buffered === "") return;
    const lines = buffered;
    buffered = "";
    target.write(lines);
  };
  process.on("exit", flush);
  return {
    flush,
    write: (line: string) => {
      if (buffered === "") setImmediate(flush);
      buffered += line;
      if (buffered.length > bufferedCharactersMax) flush();
    },
  };
}

const ownNames = ["level", "time", "message", "pid"];

/** A log line must never be what breaks a request, not even over a getter that throws. */
function safely(fields: object): string {
  if (fields instanceof JsonFields) return `,${fields.json}`;
  try {
    // A bare error in place of the fields is a common mistake; it is logged all the same.
    const named = fields instanceof Error ? { error: fields } : fields;
    const json = redactedJson(ownNames.some((name) => name in named) ? rename(named) : named);
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

const colors = { debug: "gray", info: "cyan", warn: "yellow", error: "red" } as const;
const hidden = new Set(["time", "level", "message", "pid"]);

/** One line of JSON for people: time, level, sentence, then the fields; an error's stack indented below. */
function prettyLine(json: string, useColor: boolean): string {
  const entry = parseExactly(json) as Record<string, unknown>;
  const paint: Paint = (style, text) =>
    useColor ? styleText(style, text, { validateStream: false }) : text;
  const level = String(entry["level"]) as keyof typeof colors;
  const time = paint("gray", String(entry["time"]).slice(11, 23));
  const request = requestInShort(entry, paint);
  const sentence = request ?? String(entry["message"]);
  let line = `${time} ${paint(colors[level] ?? "cyan", level.padEnd(5))} ${sentence}`;
  let below = "";
  for (const [name, value] of Object.entries(entry)) {
    if (hidden.has(name) || (request !== undefined && ofRequests.has(name))) continue;
    if (request !== undefined && name === "request_id" && Number(entry["status"]) < 400) continue;
    if (isError(value)) below += errorLines(name, value);
    else line += ` ${paint("gray", `${name}=`)}${compact(value)}`;
  }
  return `${line}\n${below}`;
}

type Paint = (style: Parameters<typeof styleText>[0], text: string) => string;

/** Said in the line's own words, or of no use to who reads along; all of it stands in the JSON. */
const ofRequests = new Set([
  ..."method path status ms operation address organization_id credential_id".split(" "),
  ..."model input_tokens output_tokens".split(" "),
]);

/** `POST /v1/messages 200 12 ms sim-large 5→47`; undefined for a line that is of no request. */
function requestInShort(entry: Record<string, unknown>, paint: Paint): string | undefined {
  const { method, path, status, ms, operation, model } = entry;
  if (typeof operation !== "string" || typeof path !== "string") return undefined;
  if (typeof status !== "number" || typeof ms !== "number") return undefined;
  const style = status >= 500 ? "red" : status >= 400 ? "yellow" : "green";
  const took = ms < 9.95 ? String(Math.round(ms * 10) / 10) : String(Math.round(ms));
  const words = [String(method), compact(path), paint(style, String(status)), `${took} ms`];
  if (typeof model === "string") words.push(compact(model));
  const { input_tokens: input, output_tokens: output } = entry;
  if (input !== undefined) words.push(`${compact(input)}→${compact(output)}`);
  return words.join(" ");
}

interface ToldError {
  stack: string;
  causes?: unknown[];
}

function isError(value: unknown): value is ToldError {
  return (
    typeof value === "object" &&
    value !== null &&
    "stack" in value &&
    typeof value.stack === "string"
  );
}

function errorLines(name: string, error: ToldError): string {
  const { stack, causes = [], ...rest } = error;
  const { type: _, message: __, ...extra } = rest as Record<string, unknown>;
  const tail = Object.keys(extra).length > 0 ? ` ${compact(extra)}` : "";
  let text = `${indent(`${name}: ${stack}${tail}`)}\n`;
  for (const cause of causes)
    text += isError(cause)
      ? errorLines("because", cause)
      : `${indent(`because: ${compact(cause)}`)}\n`;
  return text;
}

const indent = (text: string) => text.replaceAll(/^/gm, "    ");

function compact(value: unknown): string {
  if (typeof value === "string") return /^[^\s"=]+$/.test(value) ? value : JSON.stringify(value);
  return inspect(value, { breakLength: Infinity, depth: 8, compact: true });
}
