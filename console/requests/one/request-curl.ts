// A request to a model as a command: its shape, for what was said is not kept.
import type { LoggedRequest } from "../../kit/server/api.ts";
import { asksModel } from "../requests.ts";

/** Undefined where no model was asked. */
export function curlOf(request: LoggedRequest, url: string): string | undefined {
  const { model, id } = request;
  if (model === null || !asksModel(request)) return undefined;
  const body = {
    model,
    max_tokens: 1024,
    messages: [{ role: "user", content: "..." }],
  };
  return `# In the shape of ${id}; what was said in it is not kept.
curl ${url}/v1/messages \\
  -H "x-api-key: $PLINTH_API_KEY" \\
  -H "content-type: application/json" \\
  -d '${inShell(JSON.stringify(body, null, 2))}'`;
}

/** Within single quotes, and indented like the lines above it. */
const inShell = (text: string) => text.replaceAll("'", `'\\''`).replaceAll("\n", "\n  ");
