// Code to paste, with the address of this server in it. A key is named by its variable.
import type { KeyKind } from "./api.ts";

export interface Snippet {
  label: string;
  code: string;
}

/** The first request a newcomer sends. It changes with the first noun worth calling: every line here must run today. */
export const firstRequest = (url: string): Snippet[] => [
  {
    label: "curl",
    code: `export PLINTH_ADMIN_KEY="..."   # from "Create key"

curl ${url}/v1/organizations/me \\
  -H "x-api-key: $PLINTH_ADMIN_KEY"`,
  },
  {
    label: "TypeScript",
    code: `// npm install @anthropic-ai/sdk
import Anthropic from "@anthropic-ai/sdk";

const client = new Anthropic({
  baseURL: "${url}",
  apiKey: process.env.PLINTH_ADMIN_KEY,
});
console.log(await client.get("/v1/organizations/me"));`,
  },
  {
    label: "Python",
    code: `# pip install anthropic
import os
from anthropic import Anthropic

client = Anthropic(
    base_url="${url}",
    api_key=os.environ["PLINTH_ADMIN_KEY"],
)
print(client.get("/v1/organizations/me", cast_to=object))`,
  },
];

/**
 * Tells at once whether a key works. An API key is let in, but may not read the organization: until there is a route
 * for it, 403 is the good answer.
 */
export const testKey = (url: string, secret: string): string =>
  `curl -i ${url}/v1/organizations/me \\
  -H "x-api-key: ${secret}"`;

export const testMeaning = (kind: KeyKind): string =>
  kind === "admin"
    ? "200: the key works. 401: it does not."
    : "403: the key works, and this is only for admin keys. 401: it does not work.";
