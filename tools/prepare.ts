// Runs after `npm ci`: builds the console, and compiles the server so that its first start is quick too.
import { existsSync } from "node:fs";
import { enableCompileCache, flushCompileCache } from "node:module";
import { fileURLToPath } from "node:url";

const at = (path: string) => fileURLToPath(new URL(`../${path}`, import.meta.url));

// Without the development packages there is nothing to build with, and an installed console stays as it is.
if (existsSync(at("node_modules/vite"))) {
  const { build } = await import("vite");
  await build({ configFile: at("console/vite.config.ts") });
}

// The same place as in the `plinth` script.
enableCompileCache(at("node_modules/.cache/plinth"));
await import("../server/commands/start.ts");
flushCompileCache();
