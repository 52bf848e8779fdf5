// A first agent in code to paste. Every line must run as it stands.
import { keyLine, typescriptClient, type Snippet } from "../kit/value/snippets.ts";

export const firstAgent = (url: string): Snippet[] => [
  {
    label: "CLI",
    code: `${keyLine}
export PLINTH_BASE_URL="${url}"

echo '{
  "name": "Helper",
  "model": "sim-large",
  "system": "Be brief.",
  "tools": [{ "type": "agent_toolset_20260401" }]
}' > agent.json
./plinth agents create --file agent.json`,
  },
  {
    label: "curl",
    code: `${keyLine}

curl ${url}/v1/agents \\
  -H "x-api-key: $PLINTH_API_KEY" \\
  -H "anthropic-beta: managed-agents-2026-04-01" \\
  -H "content-type: application/json" \\
  -d '{
    "name": "Helper",
    "model": "sim-large",
    "system": "Be brief.",
    "tools": [{ "type": "agent_toolset_20260401" }]
  }'`,
  },
  {
    label: "TypeScript",
    code: `// npm install @anthropic-ai/sdk
import Anthropic from "@anthropic-ai/sdk";

${typescriptClient(url)}
const agent = await client.beta.agents.create({
  name: "Helper",
  model: "sim-large",
  system: "Be brief.",
  tools: [{ type: "agent_toolset_20260401" }],
});
console.log(agent.id, agent.version);`,
  },
];
