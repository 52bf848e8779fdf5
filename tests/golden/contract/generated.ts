// Writes the generated client of a document into a directory of its own, and takes it away again.
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { clientText, typesText } from "../../../kernel/http/client/client-text.ts";
import type { OpenApi } from "../../../kernel/http/openapi/openapi.ts";

export interface GeneratedSample extends AsyncDisposable {
  directory: string;
}

export async function generatedSample(
  document: OpenApi,
  more: Record<string, string> = {},
): Promise<GeneratedSample> {
  const directory = await mkdtemp(join(tmpdir(), "plinth-contract-"));
  const files = {
    "client.ts": clientText(document),
    "types.ts": typesText(document),
    "package.json": JSON.stringify({ type: "module" }),
    ...more,
  };
  for (const [name, text] of Object.entries(files)) await writeFile(join(directory, name), text);
  return { directory, [Symbol.asyncDispose]: () => rm(directory, { recursive: true }) };
}
