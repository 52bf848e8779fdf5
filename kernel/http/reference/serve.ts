// Serves the document and a reference for people, from this server alone: no build, nothing from outside.
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import Type from "typebox";
import { notFound } from "../../base/failure.ts";
import type { OpenApi } from "../openapi/openapi.ts";
import { renderReference } from "./page.ts";
import { sameForAll } from "../output/encoding.ts";
import { bytes, type Reply } from "../output/reply.ts";
import { closed, openRoute, type Route } from "../route.ts";
import { pageHeaders } from "../output/static.ts";

interface Asset {
  /** Holds a hash of the content, so that browsers may keep it for good. */
  name: string;
  type: string;
  content: string;
}

const stylesheet = readAsset("css", "text/css; charset=utf-8");
const script = readAsset("js", "text/javascript; charset=utf-8");

/** What the page links to, under `/docs/assets/`. */
export const referenceAssets: readonly Asset[] = [stylesheet, script];

function readAsset(extension: string, type: string): Asset {
  const file = new URL(`./reference.${extension}`, import.meta.url);
  const content = readFileSync(file, "utf8");
  const hash = createHash("sha256").update(content).digest("hex").slice(0, 10);
  return { name: `reference-${hash}.${extension}`, type, content };
}

/** The whole page. `baseUrl` is the server's address, without a slash at the end. */
export function referencePage(document: OpenApi, { baseUrl }: { baseUrl: string }): string {
  return renderReference(document, {
    baseUrl,
    stylesheet: `/docs/assets/${stylesheet.name}`,
    script: `/docs/assets/${script.name}`,
  });
}

/** The document is asked for when the first reader comes: by then the table is whole. */
export function documentRoutes(documentOf: () => OpenApi): Route[] {
  let document: OpenApi | undefined;
  const whole = () => (document ??= documentOf());
  const asJson = () =>
    sameForAll(JSON.stringify(whole()), "application/json", { "cache-control": "no-cache" });
  let json: ReturnType<typeof asJson> | undefined;
  const pages = new Map<string, ReturnType<typeof sameForAll>>();
  const pageAt = (baseUrl: string) => {
    const known =
      pages.get(baseUrl) ??
      sameForAll(referencePage(whole(), { baseUrl }), "text/html; charset=utf-8", {
        ...pageHeaders,
        "cache-control": "no-cache",
      });
    pages.set(baseUrl, known);
    return known;
  };
  return [
    openRoute({
      operation: "documents.openapi",
      method: "GET",
      path: "/openapi.json",
      summary: "The whole API as an OpenAPI 3.1 document.",
      reply: Type.Object({ openapi: Type.String() }),
      handle: ({ headers }) => (json ??= asJson())(headers["accept-encoding"]),
    }),
    openRoute({
      operation: "pages.reference",
      method: "GET",
      path: "/docs",
      summary: "This reference.",
      reply: "page",
      handle: ({ headers, publicUrl }) => pageAt(publicUrl)(headers["accept-encoding"]),
    }),
    openRoute({
      operation: "pages.reference_asset",
      method: "GET",
      path: "/docs/assets/{file}",
      summary: "What the reference looks like and what moves in it.",
      params: closed({ file: Type.String() }),
      reply: "bytes",
      handle: (_, { params }) => assetReply(params.file),
    }),
  ];
}

function assetReply(name: string): Reply {
  const asset = referenceAssets.find((known) => known.name === name);
  if (asset === undefined) throw notFound("file", name);
  return bytes(asset.content, asset.type, {
    "cache-control": "public, max-age=31536000, immutable",
    "x-content-type-options": "nosniff",
  });
}
