// `plinth init` and `plinth setup-link`: before the first start, or beside a running server.
import type { OrganizationType, World } from "../../kernel/context.ts";
import { ExitError, Failure } from "../../kernel/base/failure.ts";
import { emailPattern } from "../identity/module.ts";
import { initialize, ownerSetupLink } from "../organization-setup.ts";
import { cleanOrganizationName } from "../organizations/module.ts";
import { openMigratedDatabase, findRunningServer } from "../serve.ts";
import { openWorld } from "../world.ts";
import { loggerOf, serveOptionsOf, loadServerSettings, type Flags } from "./settings.ts";

export async function init(flags: Flags): Promise<void> {
  const organization = nameOf(String(flags["organization"]));
  const email = String(flags["email"]).trim();
  if (!new RegExp(emailPattern).test(email) || Array.from(email).length > 254)
    throw new ExitError(`--email: ${JSON.stringify(email)} is not an e-mail address.`, 2);
  const type = String(flags["type"]) as OrganizationType;
  const made = await inWorld(flags, (world) => initialize(world, { organization, type, email }));
  if (flags["json"] === true) process.stdout.write(`${JSON.stringify(made)}\n`);
  else process.stdout.write(`${table(made)}\n`);
}

/** By the same rule as in the console. */
function nameOf(organization: string): string {
  try {
    return cleanOrganizationName("--organization", organization);
  } catch (error) {
    throw error instanceof Failure ? new ExitError(error.message, 2, error) : error;
  }
}

export async function setupLink(flags: Flags): Promise<void> {
  const { organization } = flags;
  const named = typeof organization === "string" ? organization : undefined;
  process.stdout.write(`${await inWorld(flags, (world) => ownerSetupLink(world, named))}\n`);
}

/** The same database and keys as the server's, without its port and its background work. */
async function inWorld<T>(flags: Flags, work: (world: World) => Promise<T>): Promise<T> {
  const settings = loadServerSettings(flags);
  const quiet = loggerOf(settings, settings.logLevel === "info" ? "warn" : settings.logLevel);
  const options = serveOptionsOf(settings, quiet);
  await using closing = new AsyncDisposableStack();
  const database = await openMigratedDatabase({ ...options, workers: 1 });
  closing.defer(() => database.close());
  const publicUrl =
    options.publicUrl ??
    findRunningServer(options.dataDirectory)?.url ??
    `http://${options.host}:${options.port}`;
  const opened = await openWorld({ ...options, database, publicUrl });
  closing.defer(() => opened.close());
  try {
    return await work(opened.world);
  } catch (error) {
    throw error instanceof Failure ? new ExitError(error.message, 1, error) : error;
  }
}

const table = (made: Record<string, string>) => {
  const width = Math.max(...Object.keys(made).map((name) => name.length));
  const lines = Object.entries(made).map(([name, value]) => `${name.padEnd(width)}  ${value}`);
  return [...lines, "", "The secrets are not shown again."].join("\n");
};
