// Code to paste, with the address of this server in it. A key is named by its variable.
import type { KeyKind } from "../server/api.ts";

export interface Snippet {
  label: string;
  code: string;
}

/** Above code for a shell. */
export const keyLine = `export PLINTH_API_KEY="..."   # from "Create key"`;

/** A client in TypeScript, where the package is imported as `Anthropic`. */
export const typescriptClient = (url: string) => `const client = new Anthropic({
  baseURL: "${url}",
  apiKey: process.env.PLINTH_API_KEY,
});`;

/** The first request a newcomer sends: to a model that is always there. Every line must run as it stands. */
export const firstRequest = (url: string): Snippet[] => [
  {
    label: "curl",
    code: `${keyLine}

curl ${url}/v1/messages \\
  -H "x-api-key: $PLINTH_API_KEY" \\
  -H "content-type: application/json" \\
  -d '{
    "model": "sim-large",
    "max_tokens": 256,
    "messages": [
      { "role": "user", "content": "Hello" }
    ]
  }'`,
  },
  {
    label: "TypeScript",
    code: `// npm install @anthropic-ai/sdk
import Anthropic from "@anthropic-ai/sdk";

${typescriptClient(url)}
const message = await client.messages.create({
  model: "sim-large",
  max_tokens: 256,
  messages: [{ role: "user", content: "Hello" }],
});
console.log(message.content);`,
  },
  {
    label: "Python",
    code: `# pip install anthropic
import os
from anthropic import Anthropic

client = Anthropic(
    base_url="${url}",
    api_key=os.environ["PLINTH_API_KEY"],
)
message = client.messages.create(
    model="sim-large",
    max_tokens=256,
    messages=[{"role": "user", "content": "Hello"}],
)
print(message.content)`,
  },
  {
    label: "CLI",
    code: `${keyLine}

./plinth message "Hello" --url ${url}`,
  },
];

/** What administrators do by a program in place of a form. */
export const asAdministrator = (url: string, path: string, body: object): Snippet[] => [
  {
    label: "curl",
    code: `export PLINTH_ADMIN_KEY="..."   # an admin key, from "Create key"

curl ${url}/v1/organizations/${path} \\
  -H "x-api-key: $PLINTH_ADMIN_KEY" \\
  -H "anthropic-version: 2026-10-21" \\
  -H "content-type: application/json" \\
  -d '${JSON.stringify(body)}'`,
  },
];

/** Tells at once whether a key works, with a route that each key of its kind may use. */
export const testKey = (url: string, kind: KeyKind, secret: string): string =>
  `curl -i ${url}${kind === "admin" ? "/v1/organizations/me" : "/v1/models"} \\
  -H "x-api-key: ${secret}"`;
