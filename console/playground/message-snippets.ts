// The request of the playground as code to paste. A key is named by its variable, never by its value.
import { betasOf, type MessageRequest } from "../messages/conversation.ts";
import type { Snippet } from "../kit/value/snippets.ts";

export function messageSnippets(url: string, request: MessageRequest): Snippet[] {
  return [
    { label: "curl", code: curl(url, request) },
    { label: "TypeScript", code: typescript(url, request) },
    { label: "Python", code: python(url, request) },
    { label: "CLI", code: cli(url, request) },
  ];
}

const json = (value: unknown) => JSON.stringify(value, null, 2);
/** For a POSIX shell. */
const quoted = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`;
/** For a POSIX shell, where a name needs it. */
const quotedName = (name: string) => (/^[\w.,/:@+-]+$/.test(name) ? name : quoted(name));
/**
 * Both packages refuse at once what is not streamed and may take longer than ten minutes, at 128,000 tokens an
 * hour, unless they are told how long to wait.
 */
const isLong = ({ stream, max_tokens: max }: MessageRequest) => stream !== true && max > 21_333;
const patienceSeconds = 3_600;
const indented = (text: string, by: string) => text.replaceAll("\n", `\n${by}`);

function curl(url: string, request: MessageRequest): string {
  const betas = betasOf(request);
  return [
    `curl ${request.stream === true ? "-N " : ""}${url}/v1/messages`,
    `  -H "x-api-key: $PLINTH_API_KEY"`,
    `  -H "anthropic-version: 2023-06-01"`,
    ...(betas.length > 0 ? [`  -H "anthropic-beta: ${betas.join(",")}"`] : []),
    `  -H "content-type: application/json"`,
    `  -d ${quoted(json(request))}`,
  ].join(" \\\n");
}

function typescript(url: string, asked: MessageRequest): string {
  const { stream, ...request } = asked;
  const betas = betasOf(request);
  const patience = isLong(asked) ? `, { timeout: ${patienceSeconds * 1_000} }` : "";
  const body = json({ ...request, ...(betas.length > 0 && { betas }) });
  const messages = betas.length > 0 ? "client.beta.messages" : "client.messages";
  const call =
    stream === true
      ? `const stream = ${messages}.stream(${body});
stream.on("text", (text) => process.stdout.write(text));
console.log(await stream.finalMessage());`
      : `console.log(await ${messages}.create(${body}${patience}));`;
  return `// npm install @anthropic-ai/sdk
import Anthropic from "@anthropic-ai/sdk";

const client = new Anthropic({
  baseURL: "${url}",
  apiKey: process.env.PLINTH_API_KEY,
});
${call}`;
}

function python(url: string, asked: MessageRequest): string {
  const { stream, ...request } = asked;
  const betas = betasOf(request);
  const messages = betas.length > 0 ? "client.beta.messages" : "client.messages";
  const fields = Object.entries({
    ...request,
    ...(betas.length > 0 && { betas }),
    ...(isLong(asked) && { timeout: patienceSeconds }),
  })
    .map(([name, value]) => `    ${name}=${indented(pythonOf(value), "    ")},`)
    .join("\n");
  const call =
    stream === true
      ? `with ${messages}.stream(
${fields}
) as stream:
    for text in stream.text_stream:
        print(text, end="", flush=True)
    print(stream.get_final_message())`
      : `print(${messages}.create(
${fields}
))`;
  return `# pip install anthropic
import os
from anthropic import Anthropic

client = Anthropic(
    base_url="${url}",
    api_key=os.environ["PLINTH_API_KEY"],
)
${call}`;
}

/** A literal of Python: the same as JSON but for three words. */
function pythonOf(value: unknown, indent = ""): string {
  if (value === true) return "True";
  if (value === false) return "False";
  if (value === null || value === undefined) return "None";
  if (typeof value !== "object") return JSON.stringify(value);
  const deeper = `${indent}    `;
  const [open, close] = Array.isArray(value) ? ["[", "]"] : ["{", "}"];
  const parts = Array.isArray(value)
    ? value.map((item) => pythonOf(item, deeper))
    : Object.entries(value).map(
        ([key, item]) => `${JSON.stringify(key)}: ${pythonOf(item, deeper)}`,
      );
  if (parts.length === 0) return open + close;
  return `${open}\n${parts.map((part) => deeper + part).join(",\n")},\n${indent}${close}`;
}

function cli(url: string, request: MessageRequest): string {
  const [turn, ...more] = request.messages;
  const beyond = [
    more.length > 0 && "more than one turn",
    request.tools !== undefined && "tools",
    request.thinking !== undefined && "thinking",
  ].filter((what) => what !== false);
  const { fallbacks } = request;
  const text = quoted(typeof turn?.content === "string" ? turn.content : "…");
  // What begins with a dash would be taken for an option.
  const isDashed = text.startsWith("'-");
  const parts = [
    `./plinth message${isDashed ? "" : ` ${text}`}`,
    `  --url ${url}`,
    `  --model ${quotedName(request.model)}`,
    `  --max-tokens ${request.max_tokens}`,
    ...(request.system === undefined ? [] : [`  --system ${quoted(request.system)}`]),
    ...(request.output_config === undefined ? [] : [`  --effort ${request.output_config.effort}`]),
    ...(fallbacks === undefined
      ? []
      : [
          `  --fallbacks ${fallbacks === "default" ? fallbacks : quotedName(fallbacks.map(({ model }) => model).join(","))}`,
        ]),
    ...(isDashed ? [`  -- ${text}`] : []),
  ];
  const note = beyond.length === 0 ? "" : `# The CLI does not send ${beyond.join(" and ")}.\n`;
  return `${note}# PLINTH_API_KEY holds the key\n${parts.join(" \\\n")}`;
}
