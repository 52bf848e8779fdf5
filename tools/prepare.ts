// Runs after `npm ci`: builds the console, when there is one to build.
import { existsSync } from "node:fs";

if (existsSync(new URL("../console/index.html", import.meta.url))) {
  const { build } = await import("vite");
  await build({ configFile: new URL("../console/vite.config.ts", import.meta.url).pathname });
}
