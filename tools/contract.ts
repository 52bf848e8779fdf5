// Writes contract/ from the route table; with --check, exits 1 and names what is stale instead.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { parseArgs } from "node:util";
import { clientText, typesText } from "../kernel/http/client/client-text.ts";
import { openapi } from "../kernel/http/openapi/openapi.ts";
import { expectNode, root } from "./run.ts";

expectNode();

const { values } = parseArgs({
  options: {
    check: { type: "boolean", default: false },
    /** Elsewhere, for tests. */
    directory: { type: "string", default: join(root, "contract") },
  },
});

// After expectNode: an older Node cannot read them.
const { routes } = await import("../server/app.ts");
const { title, version } = await import("../kernel/base/version.ts");

const document = openapi(routes, { title, version });
const files = {
  "openapi.json": `${JSON.stringify(document, null, 2)}\n`,
  "types.ts": typesText(document),
  "client.ts": clientText(document),
};

const stale = Object.entries(files).filter(([name, text]) => {
  const path = join(values.directory, name);
  return !existsSync(path) || readFileSync(path, "utf8") !== text;
});

mkdirSync(values.directory, { recursive: true });
for (const [name, text] of stale) {
  const path = join(values.directory, name);
  if (!values.check) writeFileSync(path, text);
  const shown = relative(root, path);
  process.stdout.write(
    values.check ? `${shown} is stale: run node tools/contract.ts.\n` : `wrote ${shown}\n`,
  );
}
if (values.check && stale.length > 0) process.exitCode = 1;
