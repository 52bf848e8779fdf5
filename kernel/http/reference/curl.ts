// An operation as a command for the shell, ready to be pasted.
import {
  resolveReference,
  type OperationEntry,
  type OpenApi,
  type Parameter,
  type Schema,
} from "../openapi/document.ts";
import { sampleOf } from "./samples.ts";

export function curl(
  document: OpenApi,
  { path, verb, operation }: OperationEntry,
  baseUrl: string,
): string {
  const method = verb.toUpperCase();
  const parameters = operation.parameters.map((item) => resolveReference(document, item));
  const content = operation.requestBody?.content ?? {};
  const replies = Object.keys(contentOf(document, operation.responses["200"]));
  const beta = operation["x-beta"];
  const json = content["application/json"]?.schema;
  const form = content["multipart/form-data"]?.schema;
  const url = `${baseUrl}${fill(path)}${queryOf(document, parameters)}`;
  const parts = [
    ...(replies.includes("text/event-stream") && replies.length === 1 ? ["-N"] : []),
    ...(method === "GET" || (method === "POST" && (json ?? form)) ? [] : [`-X ${method}`]),
    /[^\w:/.-]/.test(url) ? `"${url}"` : url,
  ];
  const lines = [
    `curl ${parts.join(" ")}`,
    ...credentialOf(operation.security, method, baseUrl),
    ...(beta ? [`-H "vendor-beta: ${beta.name}"`] : []),
    ...(json ? [`-H "content-type: application/json"`, bodyOf(document, json)] : []),
    ...(form ? formOf(form) : []),
    ...("application/octet-stream" in content ? ["--data-binary @file"] : []),
    ...(replies.includes("*/*") ? ["-o file"] : []),
  ];
  return lines.join(" \\\n  ");
}

export function contentOf(
  document: OpenApi,
  response: OpenApi["components"]["responses"][string] | { $ref: string } | undefined,
) {
  return response === undefined ? {} : (resolveReference(document, response).content ?? {});
}

/** `{key_id}` becomes `$KEY_ID`: a variable that the reader sets. */
const fill = (path: string) =>
  path.replace(/\{(\w+)\}/g, (_, name: string) => `$${name.toUpperCase()}`);

function queryOf(document: OpenApi, parameters: readonly Parameter[]): string {
  const needed = parameters.filter((item) => item.in === "query" && item.required);
  const text = needed.map(({ name, schema }) => {
    const value = sampleOf(document, schema, {}, name);
    return `${name}=${String(Array.isArray(value) ? value[0] : value)}`;
  });
  return text.length === 0 ? "" : `?${text.join("&")}`;
}

/** The browser's cookie goes only with the server's own address as origin. */
function credentialOf(security: readonly object[], method: string, baseUrl: string): string[] {
  const schemes = security.flatMap((scheme) => Object.keys(scheme));
  if (schemes.length === 0) return [];
  if (schemes.includes("apiKey")) return ['-H "x-api-key: $PLINTH_API_KEY"'];
  const origin = method === "GET" ? [] : [`-H "origin: ${baseUrl}"`];
  return ['-b "__Host-plinth=$PLINTH_COOKIE"', ...origin];
}

function bodyOf(document: OpenApi, schema: Schema): string {
  const body = sampleOf(document, schema, { requiredOnly: true });
  const text = JSON.stringify(body, null, 2).replaceAll("'", String.raw`'\''`);
  return `-d '${text.replaceAll("\n", "\n  ")}'`;
}

function formOf({ required = [], properties = {} }: Schema): string[] {
  return Object.keys(properties).map((name) =>
    required.includes(name) ? `-F "${name}=@file"` : `-F "${name}=…"`,
  );
}
