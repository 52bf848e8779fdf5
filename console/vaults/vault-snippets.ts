// A first vault in code to paste. Every line must run as it stands.
import { keyLine, typescriptClient, type Snippet } from "../kit/value/snippets.ts";

export const firstVault = (url: string): Snippet[] => [
  {
    label: "curl",
    code: `${keyLine}

curl ${url}/v1/vaults \\
  -H "x-api-key: $PLINTH_API_KEY" \\
  -H "anthropic-beta: managed-agents-2026-04-01" \\
  -H "content-type: application/json" \\
  -d '{"display_name": "Support"}'`,
  },
  {
    label: "TypeScript",
    code: `// npm install @anthropic-ai/sdk
import Anthropic from "@anthropic-ai/sdk";

${typescriptClient(url)}
const vault = await client.beta.vaults.create({ display_name: "Support" });
console.log(vault.id);`,
  },
];
