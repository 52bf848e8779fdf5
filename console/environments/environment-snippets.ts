// A first environment in code to paste. Every line must run as it stands.
import { keyLine, typescriptClient, type Snippet } from "../kit/value/snippets.ts";

export const firstEnvironment = (url: string): Snippet[] => [
  {
    label: "curl",
    code: `${keyLine}

curl ${url}/v1/environments \\
  -H "x-api-key: $PLINTH_API_KEY" \\
  -H "anthropic-beta: managed-agents-2026-04-01" \\
  -H "content-type: application/json" \\
  -d '{
    "name": "python",
    "config": {
      "type": "cloud",
      "networking": {
        "type": "limited",
        "allowed_hosts": ["api.example.com"],
        "allow_package_managers": true
      },
      "packages": { "pip": ["numpy==2.0"] }
    }
  }'`,
  },
  {
    label: "TypeScript",
    code: `// npm install @anthropic-ai/sdk
import Anthropic from "@anthropic-ai/sdk";

${typescriptClient(url)}
const environment = await client.beta.environments.create({
  name: "python",
  config: {
    type: "cloud",
    networking: {
      type: "limited",
      allowed_hosts: ["api.example.com"],
      allow_package_managers: true,
    },
    packages: { pip: ["numpy==2.0"] },
  },
});
console.log(environment.id);`,
  },
];
