// The tools that a server lists, as a model can be offered them: bounded, and under names that no two servers share.
import { createHash } from "node:crypto";
import type { Tool } from "@modelcontextprotocol/client";
import { limits } from "../limits.ts";
import { hasGoodHeaders, namesHeaders } from "./headers.ts";
import type { McpSettings } from "../settings.ts";

export interface ServerTool {
  /** As the server names it. */
  name: string;
  description: string;
  inputSchema: Record<string, unknown>;
  /** Where its schema names headers that a call must have; its output may have any shape. */
  definition?: Tool;
  /** It says that it changes nothing. */
  isReading?: true;
  /** Its page for people, and whether that page may call it (Apps). */
  page?: string;
  isForPages?: false;
  /** It is there for its page alone. */
  isForModels?: false;
}

/** Takes the token out of what its server writes (rule MCP16). */
export type Scrub = (text: string) => string;

/** `mcp__docs__search`. */
const prefix = "mcp__";
const plainServer = /^[A-Za-z0-9-]+(_[A-Za-z0-9-]+)*$/;
const plainTool = /^[A-Za-z0-9_-]+$/;

const plain = (text: string, most: number) => text.replace(/[^A-Za-z0-9-]+/g, "_").slice(0, most);

/**
 * What the model calls it: told by both names alone, so that it stays the same whatever else there is. Where they
 * cannot stand as they are, a mark made of both keeps them apart from all others.
 */
export function modelNameOf(server: string, tool: string): string {
  const name = `${prefix}${server}__${tool}`;
  const isPlain = plainServer.test(server) && plainTool.test(tool);
  if (isPlain && name.length <= limits.modelNameCharactersMax) return name;
  const mark = createHash("sha256")
    .update(JSON.stringify([server, tool]))
    .digest("hex");
  return `${prefix}${plain(server, 40)}__${plain(tool, 60)}__${mark.slice(0, 12)}`;
}

/** What a name of that kind was made of, as far as it says so; undefined for a name of another kind. */
export function remoteNamesOf(
  called: string,
  servers: readonly string[],
): { server: string; name: string } | undefined {
  if (!called.startsWith(prefix)) return undefined;
  const names = called.slice(prefix.length);
  const known = servers.flatMap((server) => [
    { server, start: `${server}__` },
    { server, start: `${plain(server, 40)}__` },
  ]);
  const { server, start } = known.find((each) => names.startsWith(each.start)) ?? {
    server: names.slice(0, Math.max(0, names.indexOf("__"))),
    start: names.slice(0, names.indexOf("__") + 2),
  };
  const name = names.slice(start.length);
  return server === "" || name === "" ? undefined : { server, name };
}

// oxlint-disable-next-line no-control-regex
const goodName = /^[^\u0000-\u001f\u007f]+$/u;

/** Undefined for one that a model cannot be offered. */
export function readTool(tool: Tool, settings: McpSettings, scrub: Scrub): ServerTool | undefined {
  const { name, title, description = title ?? "", inputSchema } = tool;
  if (!goodName.test(name) || name.length > limits.nameCharactersMax) return undefined;
  // A model calls it by its name, which can have nothing taken out.
  if (scrub(name) !== name) return undefined;
  const shown = (text: string) => clean(scrub(text));
  const schema = readSchema(inputSchema, settings, shown);
  if (schema === undefined) return undefined;
  const { outputSchema: _, ...definition } = tool;
  const needsHeaders = namesHeaders(schema);
  if (needsHeaders && !hasGoodHeaders(inputSchema)) return undefined;
  return {
    name,
    description: cut(shown(description), settings.descriptionCharactersMax),
    inputSchema: schema,
    ...(needsHeaders && { definition }),
    ...(tool.annotations?.readOnlyHint === true && { isReading: true }),
    ...pageOf(tool, shown),
  };
}

/** Rules MSV20 and MCP44: as clients of Apps know it, and by the flat name of older ones. */
function pageOf({ _meta: meta = {} }: Tool, shown: Scrub): Partial<ServerTool> {
  const ui = (meta["ui"] ?? {}) as { resourceUri?: unknown; visibility?: unknown };
  const uri = ui.resourceUri ?? meta["ui/resourceUri"];
  // It stands in events, and is asked for as it is: one that is not shown whole is none.
  const isPage = typeof uri === "string" && uri.startsWith("ui://") && shown(uri) === uri;
  const isFor = (who: string) => !Array.isArray(ui.visibility) || ui.visibility.includes(who);
  return {
    ...(isPage && uri.length <= limits.pageUriCharactersMax && { page: uri }),
    ...(!isFor("app") && { isForPages: false }),
    ...(!isFor("model") && { isForModels: false }),
  };
}

function readSchema(
  schema: Tool["inputSchema"],
  { schemaBytesMax }: McpSettings,
  shown: Scrub,
): Record<string, unknown> | undefined {
  const read = cleaned(schema, shown, limits.schemaDepthMax);
  if (read === unfit || Buffer.byteLength(JSON.stringify(read)) > schemaBytesMax) return undefined;
  return read as Record<string, unknown>;
}

const unfit = Symbol("unfit");

/**
 * Every text in it. What is nested deeper than any program would write is more than one can be walked through, and no
 * request takes a field `__proto__`: one such tool would be the end of all turns.
 */
export function cleaned(value: unknown, shown: Scrub, depthLeft: number): unknown {
  if (typeof value === "string") return shown(value);
  if (typeof value !== "object" || value === null) return value;
  if (depthLeft === 0 || Object.hasOwn(value, "__proto__")) return unfit;
  const entries = Object.entries(value).map(
    ([name, each]) => [shown(name), cleaned(each, shown, depthLeft - 1)] as const,
  );
  if (entries.some(([, each]) => each === unfit)) return unfit;
  return Array.isArray(value) ? entries.map(([, each]) => each) : Object.fromEntries(entries);
}

/** No NUL and no half of a character: neither can stand in an event, nor be sent to a model. */
export const clean = (text: string): string => text.replaceAll("\0", "\uFFFD").toWellFormed();

export const cut = (text: string, charactersMax: number): string =>
  text.length <= charactersMax ? text : `${text.slice(0, charactersMax - 1).toWellFormed()}…`;
