// Log lines for people: time, level, sentence, then the fields; an error's stack indented below.
import { inspect, styleText } from "node:util";
import { parseExactly } from "../base/exact-json.ts";

const colors = { debug: "gray", info: "cyan", warn: "yellow", error: "red" } as const;
const hidden = new Set(["time", "level", "message", "pid"]);

/** One line of JSON as several lines for a terminal. */
export function prettyLine(json: string, useColor: boolean): string {
  const entry = parseExactly(json) as Record<string, unknown>;
  const paint = (style: Parameters<typeof styleText>[0], text: string) =>
    useColor ? styleText(style, text, { validateStream: false }) : text;
  const level = String(entry["level"]) as keyof typeof colors;
  const time = paint("gray", String(entry["time"]).slice(11, 23));
  let line = `${time} ${paint(colors[level] ?? "cyan", level.padEnd(5))} ${String(entry["message"])}`;
  let below = "";
  for (const [name, value] of Object.entries(entry)) {
    if (hidden.has(name)) continue;
    if (isError(value)) below += errorLines(name, value);
    else line += ` ${paint("gray", `${name}=`)}${compact(value)}`;
  }
  return `${line}\n${below}`;
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
