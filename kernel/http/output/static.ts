// Serves a directory of built files under a prefix, with the headers that keep a browser safe.
import { createReadStream, existsSync, readFileSync, statSync } from "node:fs";
import type { ServerResponse } from "node:http";
import { extname, join, normalize, sep } from "node:path";
import { invalid } from "../../base/failure.ts";
import { takes } from "./encoding.ts";
import type { Headers } from "./reply.ts";
import type { HttpRequest, HttpResponse } from "../wire/http-exchange.ts";

export interface StaticOptions {
  directory: string;
  /** `/console/`: what stands before the files' names. */
  prefix: string;
  /** `/console/api/`: what lies under the prefix and is no page. */
  except: string;
  /** The answer when nothing has been built yet. */
  missing: string;
}

const typeByExtension: Record<string, string> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".svg": "image/svg+xml",
  ".png": "image/png",
  ".ico": "image/x-icon",
  ".json": "application/json",
  ".woff2": "font/woff2",
  ".webmanifest": "application/manifest+json",
};

/** No inline script or style, nothing from outside, in no page's frame. */
export const pageHeaders: Headers = {
  "content-security-policy":
    "default-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'; object-src 'none'",
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff",
};

/** True when the path lies under the prefix: the request has been answered then. */
export function staticFiles({ directory, prefix, except, missing }: StaticOptions) {
  const index = join(directory, "index.html");
  return (request: HttpRequest, answer: HttpResponse, headers: Headers): boolean => {
    // Lean requests are for routes alone: this one came by node:http.
    const response = answer as ServerResponse;
    const path = (request.url ?? "/").split("?", 1)[0] ?? "/";
    const reading = request.method === "GET" || request.method === "HEAD";
    if (path.startsWith(except)) return false;
    if (path !== "/" && path !== prefix.slice(0, -1) && !path.startsWith(prefix)) return false;
    if (!reading)
      throw invalid(`Pages take GET and HEAD, not ${request.method}.`, {
        status: 405,
        headers: { allow: "GET, HEAD" },
      });
    if (path === "/" || path === prefix.slice(0, -1)) {
      response.writeHead(302, { ...headers, location: prefix, "content-length": "0" });
      response.end();
      return true;
    }
    const file = fileOf(directory, path.slice(prefix.length));
    const isAsset = path.startsWith(`${prefix}assets/`);
    // A page may be one that the app knows; a built file that is not there is nothing.
    if (file === undefined && isAsset) return false;
    const accepted = request.headers["accept-encoding"];
    if (file !== undefined) sendFile(response, variantOf(file, accepted), headers, isAsset);
    else if (existsSync(index)) sendIndex(response, index, headers);
    else sendMissing(response, missing, headers);
    return true;
  };
}

/** Undefined for what is not a file in the directory, also where the name holds dots. */
function fileOf(directory: string, name: string): string | undefined {
  let decoded: string;
  try {
    decoded = decodeURIComponent(name);
  } catch {
    return undefined;
  }
  const path = normalize(join(directory, decoded));
  if (decoded === "" || decoded.includes("\0") || !path.startsWith(directory + sep))
    return undefined;
  return isFile(path) ? path : undefined;
}

/** Names that no file can have come from clients: they name nothing, and are no fault of the server. */
function isFile(path: string): boolean {
  try {
    return statSync(path, { throwIfNoEntry: false })?.isFile() === true;
  } catch (error) {
    const code = error instanceof Error && "code" in error ? error.code : undefined;
    if (code === "ENAMETOOLONG" || code === "ELOOP") return false;
    throw error;
  }
}

/** A file as it is sent: its own bytes, or those that the build has compressed beside it. */
interface Variant {
  path: string;
  sent: string;
  encoding: Headers;
}

/** Browsers name `br` on https and localhost only. */
const codings = [
  ["br", ".br"],
  ["gzip", ".gz"],
] as const;

function variantOf(path: string, accepted: string | undefined): Variant {
  const there = codings.filter(([, extension]) => isFile(path + extension));
  const found = there.find(([name]) => takes(accepted, name));
  return {
    path,
    sent: found === undefined ? path : path + found[1],
    encoding: {
      // Also on the uncompressed answer: a cache must not give one client's coding to all.
      ...(there.length > 0 && { vary: "accept-encoding" }),
      ...(found !== undefined && { "content-encoding": found[0] }),
    },
  };
}

function sendFile(
  response: ServerResponse,
  { path, sent, encoding }: Variant,
  headers: Headers,
  hashed: boolean,
): void {
  response.writeHead(200, {
    ...headers,
    ...pageHeaders,
    ...encoding,
    "content-type": typeByExtension[extname(path)] ?? "application/octet-stream",
    "content-length": String(statSync(sent).size),
    "cache-control": hashed ? "public, max-age=31536000, immutable" : "no-cache",
  });
  createReadStream(sent)
    .on("error", () => response.destroy())
    .pipe(response);
}

/** Read each time: a rebuilt console must not need a restart. The app itself tells unknown pages apart. */
function sendIndex(response: ServerResponse, index: string, headers: Headers): void {
  const html = readFileSync(index);
  response.writeHead(200, {
    ...headers,
    ...pageHeaders,
    "content-type": "text/html; charset=utf-8",
    "content-length": String(html.length),
    "cache-control": "no-cache",
  });
  response.end(html);
}

function sendMissing(response: ServerResponse, missing: string, headers: Headers): void {
  response.writeHead(503, { ...headers, "content-type": "text/plain; charset=utf-8" });
  response.end(missing);
}
