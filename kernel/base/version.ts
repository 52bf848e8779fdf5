// The name and the version of the program, in one place.
import { readFileSync } from "node:fs";
import { parseExactly } from "./exact-json.ts";

const manifest = parseExactly(
  readFileSync(new URL("../../package.json", import.meta.url), "utf8"),
) as {
  version: string;
};

export const title = "Plinth";
export const version = manifest.version;
