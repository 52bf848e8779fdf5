// One operation of the reference: text at the left, examples at the right.
import {
  resolveReference,
  type OperationEntry,
  type OpenApi,
  type Operation,
  type Parameter,
  type Response,
} from "../openapi/document.ts";
import { contentOf, curl } from "./curl.ts";
import { fieldTable, parameterTable, typeName } from "./fields.ts";
import { html, prose, type Html } from "./html.ts";
import { sampleOf } from "./samples.ts";

export function operationHtml(document: OpenApi, entry: OperationEntry, baseUrl: string): Html {
  const { path, verb, operation } = entry;
  const id = operation.operationId;
  const [title = "", ...more] = operation.summary.split(/(?<=\.)\s+/);
  return html`<article class="operation" id="${id}" aria-labelledby="${id}-title">
    <div class="text">
      <h3 id="${id}-title"><a href="#${id}">${title.replace(/\.$/, "")}</a></h3>
      ${more.length > 0 && html`<p class="more">${prose(more.join(" "))}</p>`}
      <p class="route">
        <span class="method ${verb}">${verb.toUpperCase()}</span> <code>${breakable(path)}</code>
      </p>
      ${facts(operation)} ${parameters(document, operation)} ${body(document, operation)}
      ${replies(document, operation)} ${errors(document, operation)}
    </div>
    <div class="example">
      ${codeBox("Request", `Copy the request of ${id}`, curl(document, entry, baseUrl))}
      ${replyExample(document, operation)}
    </div>
  </article> `;
}

/** Long paths break after a slash, where a reader would break them. */
const breakable = (path: string) => path.split(/(?<=\/)/).map((part) => html`${part}<wbr />`);

const list = (words: readonly string[]) =>
  words.map((word, index) => html`${index > 0 && ", "}<code>${word}</code>`);

function facts(operation: Operation): Html {
  const beta = operation["x-beta"];
  const organizations = operation["x-organizations"];
  const permission = operation["x-permission"];
  return html`<dl class="facts">
    <div>
      <dt>Name</dt>
      <dd><code>${operation.operationId}</code></dd>
    </div>
    <div>
      <dt>Permission</dt>
      <dd>
        ${permission === undefined ? "none; open to everybody" : html`<code>${permission}</code>`}
      </dd>
    </div>
    ${
      permission !== undefined &&
      html`<div>
        <dt>Credentials</dt>
        <dd>${credentials(operation)}</dd>
      </div>`
    }
    ${
      organizations &&
      html`<div>
        <dt>Organizations</dt>
        <dd>${list(organizations)}</dd>
      </div>`
    }
    ${
      beta &&
      html`<div>
        <dt>Beta</dt>
        <dd>
          <code>vendor-beta: ${beta.name}</code
          >${beta.gate !== "always" && html` where the version is <code>${beta.gate}</code>`}
        </dd>
      </div>`
    }
  </dl>`;
}

function credentials({ "x-credentials": kinds }: Operation): string {
  return kinds === undefined
    ? "any that holds the permission"
    : kinds
        .map((kind) => (kind === "console" ? "console cookie" : kind.replaceAll("_", " ")))
        .join(", ");
}

function parameters(document: OpenApi, operation: Operation): Html[] {
  // Parameters that all operations share are explained once, at the start of the page.
  const inline = operation.parameters.filter((item): item is Parameter => !("$ref" in item));
  const titles = { path: "Path parameters", query: "Query parameters", header: "Headers" };
  return (["path", "query", "header"] as const).flatMap((location) => {
    const found = inline.filter((item) => item.in === location);
    if (found.length === 0) return [];
    const label = `${titles[location]} of ${operation.operationId}`;
    return [
      html`<h4>${titles[location]}</h4>
        ${parameterTable(document, label, found)}`,
    ];
  });
}

function body(document: OpenApi, { operationId, requestBody }: Operation): Html | undefined {
  if (requestBody === undefined) return undefined;
  const [type = "", { schema } = {}] = Object.entries(requestBody.content)[0] ?? [];
  const table = schema && fieldTable(document, `Body of ${operationId}`, schema, "request");
  return html`<h4>Body <span class="quiet">${type}</span></h4>
    ${table ?? html`<p class="quiet">${schema === undefined ? "The bytes, as they are." : `Any ${typeName(document, schema)}.`}</p>`}`;
}

function goodReply(operation: Operation, document: OpenApi): [string, Response] {
  const status = operation.responses["200"] === undefined ? "204" : "200";
  const response = operation.responses[status];
  return [
    status,
    response === undefined ? { description: "" } : resolveReference(document, response),
  ];
}

function replies(document: OpenApi, operation: Operation): Html {
  const [status, response] = goodReply(operation, document);
  const kinds = Object.entries(response.content ?? {});
  const parts = kinds.map(([type, { schema }]) => {
    const isJson = type === "application/json" || type === "application/x-jsonl";
    const table =
      isJson && schema
        ? fieldTable(document, `Reply of ${operation.operationId}`, schema, "reply")
        : undefined;
    const name = schema && isJson ? typeName(document, schema) : "";
    if (table === undefined) return html`<p class="quiet">${type} ${name}</p>`;
    return html`<details>
      <summary>Its fields${name !== "object" && html` <span class="quiet">${name}</span>`}</summary>
      ${table}
    </details>`;
  });
  return html`<h4>Reply <span class="status good">${status}</span></h4>
    ${response.content?.["application/json"] === undefined && html`<p>${response.description}</p>`}
    ${parts}`;
}

function errors(document: OpenApi, { responses }: Operation): Html {
  const found = Object.entries(responses).filter(([status]) => /^[45]/.test(status));
  return html`<h4>Errors</h4>
    <ul class="errors">
      ${found.map(
        ([status, response]) =>
          html`<li>
            <span class="status">${status}</span>
            ${resolveReference(document, response).description}
          </li>`,
      )}
    </ul>`;
}

function replyExample(document: OpenApi, operation: Operation): Html | undefined {
  const [status] = goodReply(operation, document);
  const content = contentOf(document, operation.responses[status]);
  const schema = content["application/json"]?.schema;
  if (schema !== undefined) {
    const text = JSON.stringify(sampleOf(document, schema), null, 2);
    return codeBox(`Reply ${status}`, `Copy the reply of ${operation.operationId}`, text);
  }
  const line = content["application/x-jsonl"]?.schema;
  if (line !== undefined) {
    const text = JSON.stringify(sampleOf(document, line));
    return codeBox(`Reply ${status}`, `Copy a line of ${operation.operationId}`, text);
  }
  if (content["text/event-stream"] === undefined) return undefined;
  const text = 'event: …\ndata: {"type": "…"}';
  return codeBox(`Reply ${status}`, `Copy the events of ${operation.operationId}`, text);
}

/** The button shows itself once the script is there to do its work. */
export function codeBox(title: string, copyLabel: string, text: string): Html {
  return html`<div class="code">
    <div class="bar">
      <span>${title}</span
      ><button type="button" class="copy" aria-label="${copyLabel}" hidden>Copy</button>
    </div>
    <pre><code>${tokens(text)}</code></pre>
  </div>`;
}

/** What the reader has to set stands out. */
const tokens = (text: string) =>
  text
    .split(/(\$[A-Z][A-Z_]+)/)
    .map((part, index) => (index % 2 === 1 ? html`<b>${part}</b>` : part));
