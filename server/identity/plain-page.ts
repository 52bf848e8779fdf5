// Pages that work without the console's bundle: plain HTML, one style sheet, one small script each.
import { readFileSync } from "node:fs";
import { page, text, type Reply } from "../../kernel/http/output/reply.ts";
import { limits } from "./limits.ts";

const headers = {
  "content-security-policy":
    "default-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'; object-src 'none'",
  "referrer-policy": "no-referrer",
  "cache-control": "no-store",
  "x-content-type-options": "nosniff",
};

const mark = `<svg class="mark" viewBox="0 0 24 24" width="28" height="28" aria-hidden="true">
  <path fill="currentColor" d="M5 3h14v3H5zM7 7h10v9H7zM5 17h14v2H5zM3 20h18v2H3z"/></svg>`;

const shared = readFileSync(new URL("./plain-page.js", import.meta.url), "utf8");

/** The script of such a page, behind what all of them share; read when the server starts. */
export function plainScript(file: URL): () => Reply {
  const source = `${shared}\n${readFileSync(file, "utf8")}`;
  return () => text(source, "text/javascript; charset=utf-8", { "cache-control": "no-cache" });
}

export interface PlainPage {
  title: string;
  /** Path of the page's script; none for a page that only shows text. */
  script?: string;
  /** Trusted HTML: what people typed is put in by the script, as text. */
  body: string;
  status?: number;
}

export const plainPage = ({ title, script, body, status = 200 }: PlainPage): Reply =>
  page(
    `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title} · Plinth</title>
<link rel="stylesheet" href="/console/pages.css">
${script === undefined ? "" : `<script type="module" src="${script}"></script>`}
</head>
<body>
<main class="card">
<div class="brand">${mark}<span>Plinth</span></div>
${body}
${script === undefined ? "" : `<noscript><p class="message message-error">This page needs JavaScript to send the form.</p></noscript>`}
</main>
</body>
</html>
`,
    headers,
    status,
  );

interface Field {
  name: string;
  label: string;
  type: string;
  autocomplete: string;
  hint?: string;
  required?: boolean;
}

/** An input with its label and its hints. */
export const formField = ({
  name,
  label,
  type,
  autocomplete,
  hint,
  required = true,
}: Field) => `<div class="field">
<label for="${name}">${label}</label>
<input id="${name}" name="${name}" type="${type}" autocomplete="${autocomplete}"${required ? " required" : ""}${
  type === "password" && autocomplete === "new-password"
    ? ` minlength="${limits.passwordCharactersMin}" maxlength="${limits.passwordCharactersMax}"`
    : ""
}${hint === undefined ? "" : ` aria-describedby="${name}-hint"`}>
${hint === undefined ? "" : `<p class="hint" id="${name}-hint">${hint}</p>`}
</div>`;

/** The element in which the script shows errors. */
export const messageLine = `<p class="message" role="status" aria-live="polite" id="message" hidden></p>`;
