// The input of a request: path parameters, query and body, each checked against the route's schemas.
import type { HttpRequest } from "../wire/http-exchange.ts";
import { invalid, notFound } from "../../base/failure.ts";
import { limits } from "../../base/limits.ts";
import type { Dialect } from "../../context.ts";
import {
  decode,
  expectJson,
  hasNoBody,
  readAll,
  readChunks,
  readJson,
  readOriginalBody,
} from "./body.ts";
import { readForm } from "./multipart.ts";
import { parseQuery } from "./query.ts";
import { isSchema, type BodyKind, type Route } from "../route.ts";
import type { Check } from "../validate/validate.ts";

export interface InputChecks {
  /** Of the path's parameters, where the route says what they must be. */
  params: Check | undefined;
  query: Check;
  /** Worked out once: most requests have no query, and most routes want none. */
  mayLackQuery: boolean;
  body: Check | undefined;
}

export function readParams(
  raw: Record<string, string>,
  rules: InputChecks | undefined,
): Record<string, string> {
  const params = decodeParams(raw);
  if (rules?.params?.(params) === undefined) return params;
  // What cannot be an id is the id of nothing.
  const [name = "", id = ""] = Object.entries(params).at(-1) ?? [];
  throw notFound(name.replace(/_id$/, "").replaceAll("_", " "), id);
}

function decodeParams(params: Record<string, string>): Record<string, string> {
  for (const name in params) {
    const raw = params[name] ?? "";
    if (!raw.includes("%")) continue;
    try {
      params[name] = decodeURIComponent(raw);
    } catch {
      throw invalid(`${name}: is not percent-encoded UTF-8.`);
    }
    // No id holds one, and the database refuses it in any text.
    if (params[name]?.includes("\0"))
      throw invalid(`${name}: holds the character U+0000, which no id has.`);
  }
  return params;
}

export function readQuery(
  search: string,
  route: Route,
  rules: InputChecks | undefined,
  dialect: Dialect,
): unknown {
  if (search === "" && rules?.mayLackQuery) return noQuery;
  const query = parseQuery(search, route.query);
  const failure = rules?.query(query, dialect);
  if (failure !== undefined) throw failure;
  return query;
}

const noQuery: object = Object.freeze(Object.create(null));

export async function readBody(
  request: HttpRequest,
  route: Route,
  rules: InputChecks | undefined,
  dialect: Dialect,
): Promise<unknown> {
  const bytesMax = route.bodyBytesMax ?? limits.bodyBytesMax;
  const kind: BodyKind = route.body;
  if (kind === "stream") return readChunks(request, bytesMax);
  if (kind !== undefined && "streamedJson" in kind) {
    expectJson(request);
    return readChunks(request, bytesMax);
  }
  if (kind !== undefined && "originalJson" in kind) return readOriginalBody(request, bytesMax);
  if (kind !== undefined && !isSchema(kind)) return readForm(request, kind, bytesMax);
  if (kind === undefined) {
    if (!hasNoBody(request)) await expectEmpty(request, bytesMax);
    return undefined;
  }
  const asForm = route.formToo === true && isUrlEncoded(request);
  const body = await (asForm ? readUrlEncoded : readJson)(request, bytesMax);
  const failure = rules?.body?.(body ?? {}, dialect);
  if (failure !== undefined) throw failure;
  return body ?? {};
}

/** `{}` is as good as nothing on a route without a body; a field would be lost in silence. */
async function expectEmpty(request: HttpRequest, bytesMax: number): Promise<void> {
  const body = await readJson(request, bytesMax);
  if (body === undefined || body === null) return;
  const field = typeof body === "object" ? Object.keys(body)[0] : "The body";
  if (field !== undefined) throw invalid(`${field}: this route takes no body.`);
}

/** HTML forms without files: for the few routes whose standard wants them. */
const formType = "application/x-www-form-urlencoded";
const nameShownMax = 80;

const isUrlEncoded = ({ headers }: HttpRequest): boolean =>
  headers["content-type"]?.split(";")[0]?.trim().toLowerCase() === formType;

/** Each name once: of two values the reader and the writer might mean different ones. */
async function readUrlEncoded(
  request: HttpRequest,
  bytesMax: number,
): Promise<Record<string, string>> {
  const text = decode(await readAll(request, bytesMax));
  const fields: Record<string, string> = Object.create(null) as Record<string, string>;
  for (const [name, value] of new URLSearchParams(text)) {
    const shown = name.slice(0, nameShownMax);
    if (name in fields) throw invalid(`${shown}: stands in the form twice; send it once.`);
    if (value.includes("\0")) throw invalid(`${shown}: holds the character U+0000; leave it out.`);
    fields[name] = value;
  }
  return fields;
}
