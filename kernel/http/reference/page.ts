// The whole reference as one page: works without its script, which only adds filter and copy.
import { callable, nounOf, type OperationEntry, type OpenApi } from "../openapi/document.ts";
import { html, prose, type Html } from "./html.ts";
import { codeBox, operationHtml } from "./operation.ts";

export interface ReferenceOptions {
  /** Where the server is, without a slash at the end. */
  baseUrl: string;
  stylesheet: string;
  script: string;
}

interface Noun {
  name: string;
  title: string;
  console: boolean;
  entries: OperationEntry[];
}

export function renderReference(document: OpenApi, options: ReferenceOptions): string {
  const { title, version } = document.info;
  const nouns = nounsOf(document);
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <title>${title} API reference</title>
        <link rel="stylesheet" href="${options.stylesheet}" />
        <script src="${options.script}" defer></script>
      </head>
      <body id="top">
        <a class="skip" href="#content">Skip to the content</a>
        <header class="bar-top">
          <a class="brand" href="#top">${title} <span>API reference</span></a
          ><a class="menu-open" href="#menu">Menu</a>
        </header>
        ${menu(title, version, nouns)}
        <main id="content" tabindex="-1">
          ${introduction(document, options.baseUrl)}
          ${nouns.map((noun) => nounHtml(document, noun, options.baseUrl))}
        </main>
        <p class="announce" role="status"></p>
      </body>
    </html> `.text;
}

/** What programs use first, what only the console uses last. */
function nounsOf(document: OpenApi): Noun[] {
  const nouns = new Map<string, Noun>();
  for (const entry of callable(document)) {
    const name = nounOf(entry.operation.operationId);
    const console = entry.operation.tags.includes("console");
    const noun = nouns.get(name) ?? { name, title: titleOf(name), console, entries: [] };
    noun.entries.push(entry);
    nouns.set(name, noun);
  }
  return [...nouns.values()].sort(
    (a, b) => Number(a.console) - Number(b.console) || (a.name < b.name ? -1 : 1),
  );
}

/** `memory_stores.memories` becomes `Memory stores: memories`. */
function titleOf(noun: string): string {
  const text = noun
    .replaceAll("_", " ")
    .replaceAll(".", ": ")
    .replace(/\b(api|mcp)\b/g, (word) => word.toUpperCase());
  return text.charAt(0).toUpperCase() + text.slice(1);
}

function menu(title: string, version: string, nouns: readonly Noun[]): Html {
  return html`<nav id="menu" aria-label="Operations">
    <div class="menu-head">
      <a class="brand" href="#top">${title} <span>API reference</span></a>
      <a class="menu-close" href="#content">Close</a>
      <p class="quiet">Version ${version} · <a href="/openapi.json">openapi.json</a></p>
      <label class="filter" hidden
        ><span>Filter operations</span
        ><input
          type="search"
          autocomplete="off"
          spellcheck="false"
          placeholder="Filter, or press /"
      /></label>
    </div>
    <p class="nothing quiet" hidden>Nothing has that in its name.</p>
    ${nouns.map(
      (noun) =>
        html`<section class="group">
          <h2><a href="#${anchorOf(noun)}">${noun.title}</a></h2>
          <ul>
            ${noun.entries.map(menuItem)}
          </ul>
        </section> `,
    )}
  </nav>`;
}

function menuItem({ path, verb, operation }: OperationEntry): Html {
  const id = operation.operationId;
  const name = id.slice(nounOf(id).length + 1).replaceAll("_", " ");
  const words = `${id} ${verb} ${path} ${operation.summary}`.toLowerCase();
  return html`<li data-words="${words}">
    <a href="#${id}"
      ><span>${name}</span><span class="method ${verb}">${verb.toUpperCase()}</span></a
    >
  </li>`;
}

const anchorOf = (noun: Noun) => `noun-${noun.name}`;

function nounHtml(document: OpenApi, noun: Noun, baseUrl: string): Html {
  return html`<section class="noun" aria-labelledby="${anchorOf(noun)}">
    <h2 id="${anchorOf(noun)}">${noun.title}</h2>
    ${noun.console && html`<p class="quiet">For the console: it takes the cookie of somebody who signed in.</p>`}
    ${noun.entries.map((entry) => operationHtml(document, entry, baseUrl))}
  </section> `;
}

function introduction({ info }: OpenApi, baseUrl: string): Html {
  const error = {
    type: "error",
    error: { type: "not_found_error", message: "There is no key apikey_01k8." },
    request_id: "req_01k8…",
  };
  const key = `export PLINTH_API_KEY=…\ncurl ${baseUrl}/v1/models \\\n  -H "x-api-key: $PLINTH_API_KEY"`;
  return html`<section class="operation intro" aria-labelledby="start">
    <div class="text">
      <h1 id="start">${info.title} API</h1>
      <p class="lead">${prose(info.description)}</p>
      <h2>Credentials</h2>
      <p>
        Send a key as <code>x-api-key: …</code>, or any key or token as
        <code>authorization: Bearer …</code>. Each operation names the permission that the
        credential has to hold.
      </p>
      <h2>Versions and betas</h2>
      <p>
        <code>vendor-version: 2026-10-21</code> chooses the words of the replies; without it they
        are those of <code>2023-06-01</code>. Operations in beta want their name in
        <code>vendor-beta</code>; several stand in one header, with commas between them.
        <code>anthropic-version</code> and <code>anthropic-beta</code> are understood as well.
      </p>
      <h2>Errors</h2>
      <p>
        Every error has the same shape. <code>error.type</code> says what kind it is,
        <code>error.details.error_code</code> the exact cause where there is one. Quote the
        <code>request_id</code> when you ask about a request; it is in the
        <code>request-id</code> header of every reply. After a 429, wait for the seconds in
        <code>retry-after</code>.
      </p>
      <h2>Lists</h2>
      <p>
        A list comes in pages. While <code>has_more</code> is true, send its
        <code>last_id</code> back as <code>after_id</code>; <code>before_id</code> with its
        <code>first_id</code> goes the other way. A list with <code>next_page</code> takes that
        back, unchanged, in the field that the operation names.
      </p>
    </div>
    <div class="example">
      ${codeBox("First request", "Copy the first request", key)}
      ${codeBox("An error", "Copy the error", JSON.stringify(error, null, 2))}
    </div>
  </section>`;
}
