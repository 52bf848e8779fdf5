// Pages of other origins than the server's, with a client in them as a bundler makes it for browsers.
import { once } from "node:events";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { build } from "vite";

export interface ForeignPages extends AsyncDisposable {
  originOf(name: string): string;
  /** A page of that origin, once its script has run. */
  open(page: Page, name: string): Promise<void>;
}

/** Each page has what the package exports as `client`. */
export async function openForeignPages(packageName: string): Promise<ForeignPages> {
  const script = await bundled(packageName);
  const html =
    '<!doctype html><title>Client</title><script type="module" src="/client.js"></script>';
  const server = createServer((request, response) => {
    const isScript = request.url === "/client.js";
    response.setHeader("content-type", isScript ? "text/javascript" : "text/html");
    response.end(isScript ? script : html);
  });
  server.listen(0);
  await once(server, "listening");
  const originOf = (name: string) =>
    `http://${name}.localhost:${(server.address() as AddressInfo).port}`;
  return {
    originOf,
    open: async (page, name) => {
      await page.goto(originOf(name));
      await page.waitForFunction("globalThis.client !== undefined");
    },
    [Symbol.asyncDispose]: async () => {
      server.close();
      server.closeAllConnections();
      await once(server, "close");
    },
  };
}

async function bundled(packageName: string): Promise<string> {
  const home = join(import.meta.dirname, "../../build");
  mkdirSync(home, { recursive: true });
  const folder = mkdtempSync(join(home, "page-"));
  try {
    const entry = join(folder, "entry.js");
    writeFileSync(entry, `import * as client from "${packageName}"; globalThis.client = client;`);
    const made = await build({
      configFile: false,
      logLevel: "error",
      root: folder,
      build: { write: false, minify: false, rollupOptions: { input: entry } },
    });
    const [{ output }] = [made].flat() as unknown as [{ output: { code?: string }[] }];
    return output[0]?.code ?? "";
  } finally {
    rmSync(folder, { recursive: true });
  }
}
