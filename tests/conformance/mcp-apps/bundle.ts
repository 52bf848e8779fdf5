// A script for a browser made of one of the files here and of the official packages of Apps.
import { join } from "node:path";
import { build } from "vite";

export async function bundled(file: string): Promise<string> {
  const made = await build({
    configFile: false,
    logLevel: "error",
    define: { "process.env.NODE_ENV": '"production"' },
    build: {
      write: false,
      lib: { entry: join(import.meta.dirname, file), formats: ["es"] },
    },
  });
  const [{ output }] = made as unknown as [{ output: { code: string }[] }];
  return output[0]?.code ?? "";
}

/** A page with this script in it. */
export const pageWith = (script: string): string =>
  `<!doctype html><html lang="en"><meta charset="utf-8"><title>App</title>
<body><main></main><script type="module">${script.replaceAll("</script", "<\\/script")}</script></body></html>`;
