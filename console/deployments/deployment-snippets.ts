// A first deployment in code to paste. Every line must run as it stands.
import { keyLine, typescriptClient, type Snippet } from "../kit/value/snippets.ts";

export const firstDeployment = (url: string): Snippet[] => [
  {
    label: "curl",
    code: `${keyLine}
export AGENT_ID="agent_..." ENVIRONMENT_ID="env_..."

curl ${url}/v1/deployments \\
  -H "x-api-key: $PLINTH_API_KEY" \\
  -H "anthropic-beta: managed-agents-2026-04-01" \\
  -H "content-type: application/json" \\
  -d '{
    "name": "Morning report",
    "agent": "'$AGENT_ID'",
    "environment_id": "'$ENVIRONMENT_ID'",
    "initial_events": [
      { "type": "user.message", "content": [{ "type": "text", "text": "Write the report." }] }
    ],
    "schedule": { "type": "cron", "expression": "0 9 * * 1-5", "timezone": "UTC" }
  }'`,
  },
  {
    label: "TypeScript",
    code: `// npm install @anthropic-ai/sdk
import Anthropic from "@anthropic-ai/sdk";

${typescriptClient(url)}
const deployment = await client.beta.deployments.create({
  name: "Morning report",
  agent: process.env.AGENT_ID ?? "agent_...",
  environment_id: process.env.ENVIRONMENT_ID ?? "env_...",
  initial_events: [
    { type: "user.message", content: [{ type: "text", text: "Write the report." }] },
  ],
  schedule: { type: "cron", expression: "0 9 * * 1-5", timezone: "UTC" },
});
console.log(deployment.schedule?.upcoming_runs_at);`,
  },
];
