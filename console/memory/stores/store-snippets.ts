// A first memory in code to paste. Every line must run as it stands.
import { keyLine, typescriptClient, type Snippet } from "../../kit/value/snippets.ts";

export const firstMemory = (url: string): Snippet[] => [
  {
    label: "CLI",
    code: `${keyLine}
export PLINTH_BASE_URL="${url}"

./plinth memory create notes
echo "The meeting is on Thursday." | ./plinth memory put notes:/meeting.md -`,
  },
  {
    label: "curl",
    code: `${keyLine}

curl ${url}/v1/memory_stores \\
  -H "x-api-key: $PLINTH_API_KEY" \\
  -H "anthropic-beta: agent-memory-2026-07-22" \\
  -H "content-type: application/json" \\
  -d '{ "name": "notes", "description": "What was decided, and when." }'`,
  },
  {
    label: "TypeScript",
    code: `// npm install @anthropic-ai/sdk
import Anthropic from "@anthropic-ai/sdk";

${typescriptClient(url)}
const store = await client.beta.memoryStores.create({
  name: "notes",
  description: "What was decided, and when.",
});
await client.beta.memoryStores.memories.create(store.id, {
  path: "/meeting.md",
  content: "The meeting is on Thursday.",
});
console.log(store.id);`,
  },
];
