// The page that clients show beside a session's timeline: an App of MCP, whole in one text.
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import type { ReadResourceResult, Resource } from "@modelcontextprotocol/server";
import { limits } from "../limits.ts";

export const appsExtension = "io.modelcontextprotocol/ui";
export const pageUri = "ui://plinth/session-timeline";
const mimeType = "text/html;profile=mcp-app";

/** Older clients of Apps know a tool's page by the flat name. */
export const metaOfTool = (page: string) => ({
  ui: { resourceUri: page, visibility: ["model", "app"] },
  "ui/resourceUri": page,
});

/** It needs no network: what it shows comes through its client. */
const _meta = { ui: { csp: { connectDomains: [], resourceDomains: [] }, prefersBorder: true } };

export const pageResource: Resource = {
  uri: pageUri,
  name: "session-timeline",
  title: "Timeline of a session",
  description: "The page on which clients show what show_session answers.",
  mimeType,
  _meta,
};

const fileOf = (name: string) => readFileSync(new URL(`./${name}`, import.meta.url), "utf8");
const script = fileOf("timeline.js");
const style = fileOf("timeline.css");
const hashOf = (text: string) => `'sha256-${createHash("sha256").update(text).digest("base64")}'`;
const policy = `default-src 'none'; script-src ${hashOf(script)}; style-src ${hashOf(style)}; base-uri 'none'; form-action 'none'`;
const module = `<script type="module">`;
const html = fileOf("timeline.html")
  .replace("{policy}", () => policy)
  .replace("<style></style>", () => `<style>${style}</style>`)
  .replace(`${module}</script>`, () => `${module}${script}</script>`);

/** The same for everybody, and until this server is another version. */
export const readPage = (): ReadResourceResult => ({
  contents: [{ uri: pageUri, mimeType, text: html, _meta }],
  ttlMs: limits.discoverTtlMs,
  cacheScope: "public",
});
