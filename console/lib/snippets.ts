// Code to paste, with the address of this server in it. A key is always named by its variable, never written out.
export interface Snippet {
  label: string;
  code: string;
}

/** The first request a newcomer sends. It changes with the first noun worth calling: every line here must run today. */
export const firstRequest = (url: string): Snippet[] => [
  {
    label: "curl",
    code: `export PLINTH_API_KEY="..."   # from "Create key"

curl ${url}/v1/organizations/me \\
  -H "x-api-key: $PLINTH_API_KEY"`,
  },
  {
    label: "TypeScript",
    code: `// npm install @anthropic-ai/sdk
import Anthropic from "@anthropic-ai/sdk";

const client = new Anthropic({
  baseURL: "${url}",
  apiKey: process.env.PLINTH_API_KEY,
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
    api_key=os.environ["PLINTH_API_KEY"],
)
print(client.get("/v1/organizations/me", cast_to=object))`,
  },
];

/** Tells at once whether a key works. What is shown has the secret shortened; what is copied is whole. */
export const testKey = (url: string, secret: string): string =>
  `curl ${url}/v1/organizations/me -H "x-api-key: ${secret}"`;
