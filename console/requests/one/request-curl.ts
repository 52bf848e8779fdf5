// A request to a model as a command: its shape, or all of it where what was said is kept.
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
  return `# In the shape of ${id}, without what was said in it.
${curlWith(JSON.stringify(body, null, 2), url)}`;
}

export const curlWith = (json: string, url: string): string => `curl ${url}/v1/messages \\
  -H "x-api-key: $PLINTH_API_KEY" \\
  -H "content-type: application/json" \\
  -d '${inShell(json)}'`;

/** Within single quotes, and indented like the lines above it. */
const inShell = (text: string) => text.replaceAll("'", `'\\''`).replaceAll("\n", "\n  ");
