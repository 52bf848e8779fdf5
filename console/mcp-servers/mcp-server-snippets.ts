// A first MCP server in code to paste. Every line must run as it stands.
import { keyLine, type Snippet } from "../kit/value/snippets.ts";

export const firstServer = (url: string): Snippet[] => [
  {
    label: "curl",
    code: `${keyLine}

curl ${url}/v1/mcp_servers \\
  -H "x-api-key: $PLINTH_API_KEY" \\
  -H "anthropic-beta: managed-agents-2026-04-01" \\
  -H "content-type: application/json" \\
  -d '{"name": "docs", "url": "https://docs.example.com/mcp"}'`,
  },
];
