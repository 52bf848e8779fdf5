// A first session in code to paste. Every line must run as it stands, once agent and environment are named.
import { keyLine, typescriptClient, type Snippet } from "../kit/value/snippets.ts";

const shellNames = `export AGENT="agent_..."
export ENVIRONMENT="env_..."`;

export const firstSession = (url: string): Snippet[] => [
  {
    label: "CLI",
    code: `${keyLine}
export PLINTH_BASE_URL="${url}"
${shellNames}

./plinth sessions run "$AGENT" "Good morning" \\
  --environment "$ENVIRONMENT"`,
  },
  {
    label: "curl",
    code: `${keyLine}
${shellNames}

curl ${url}/v1/sessions \\
  -H "x-api-key: $PLINTH_API_KEY" \\
  -H "anthropic-beta: managed-agents-2026-04-01" \\
  -H "content-type: application/json" \\
  -d '{
    "agent": "'"$AGENT"'",
    "environment_id": "'"$ENVIRONMENT"'",
    "initial_events": [
      { "type": "user.message", "content": [{ "type": "text", "text": "Good morning" }] }
    ]
  }'`,
  },
  {
    label: "TypeScript",
    code: `// npm install @anthropic-ai/sdk
import Anthropic from "@anthropic-ai/sdk";

${typescriptClient(url)}
const session = await client.beta.sessions.create({
  agent: process.env.AGENT!,
  environment_id: process.env.ENVIRONMENT!,
});
const stream = await client.beta.sessions.events.stream(session.id);
await client.beta.sessions.events.send(session.id, {
  events: [{ type: "user.message", content: [{ type: "text", text: "Good morning" }] }],
});
for await (const event of stream) {
  if (event.type === "agent.message")
    for (const block of event.content) if (block.type === "text") console.log(block.text);
  if (event.type === "session.status_idle") break;
}`,
  },
];
