// Runs after `npm ci`: builds the console, and compiles the server so that its first start is quick too.
import { existsSync, readFileSync } from "node:fs";
import { enableCompileCache, flushCompileCache } from "node:module";
import { fileURLToPath } from "node:url";
import { compressAll } from "./compress.ts";
import { nodeTooOld } from "./node-range.ts";

const at = (path: string) => fileURLToPath(new URL(`../${path}`, import.meta.url));

// Without the development packages there is nothing to build with, and an installed console stays as it is.
if (existsSync(at("node_modules/vite"))) {
  const { engines } = JSON.parse(readFileSync(at("package.json"), "utf8")) as {
    engines: { node: string };
  };
  const tooOld = nodeTooOld(process.env["npm_config_user_agent"], engines.node);
  if (tooOld !== undefined) {
    process.stderr.write(`plinth: ${tooOld}\n`);
    process.exit(1);
  }
  const { build } = await import("vite");
  await build({ configFile: at("console/vite.config.ts") });
  compressAll(at("console/dist"));
}

// The same place as in the `plinth` script.
enableCompileCache(at("node_modules/.cache/plinth"));
await import("../server/commands/start.ts");
flushCompileCache();
