// The command-line client: speaks only HTTP, through the generated client.
import type { Command } from "commander";
import { ApiError, createClient, type Client } from "../contract/client.ts";

export interface Terminal {
  env: Readonly<Record<string, string | undefined>>;
  write(text: string): void;
}

/** A sentence for a person, and the exit code that goes with it. */
export class CliError extends Error {
  readonly exitCode: number;

  constructor(message: string, exitCode = 1) {
    super(message);
    this.name = "CliError";
    this.exitCode = exitCode;
  }
}

const credentialExitCode = 3;

export function addCommands(plinth: Command, terminal: Terminal): void {
  plinth
    .command("whoami")
    .description("say which organization the key in PLINTH_API_KEY or PLINTH_ADMIN_KEY belongs to")
    .option("--url <address>", "where the server is (default: PLINTH_BASE_URL, or this machine)")
    .option("--json", "print one JSON object")
    .action((flags: { url?: string; json?: boolean }) => whoami(terminal, flags));
}

async function whoami(terminal: Terminal, flags: { url?: string; json?: boolean }): Promise<void> {
  const organization = await speak(clientOf(terminal, flags.url), (client) =>
    client.organizations.me(),
  );
  terminal.write(
    flags.json === true
      ? `${JSON.stringify(organization)}\n`
      : `${organization.name}  ${organization.id}\n`,
  );
}

function clientOf({ env }: Terminal, url: string | undefined): Client {
  const key = env["PLINTH_ADMIN_KEY"] ?? env["PLINTH_API_KEY"];
  if (key === undefined || key === "")
    throw new CliError("Set PLINTH_ADMIN_KEY to a key of the server first.", credentialExitCode);
  const baseUrl = (url ?? env["PLINTH_BASE_URL"] ?? "http://127.0.0.1:8787").replace(/\/+$/, "");
  return createClient({ baseUrl, headers: { "x-api-key": key } });
}

/** What the server refuses, and a server that is not there, as sentences with the next step. */
async function speak<T>(client: Client, ask: (client: Client) => Promise<T>): Promise<T> {
  try {
    return await ask(client);
  } catch (error) {
    if (error instanceof ApiError) {
      const code = error.status === 401 || error.status === 403 ? credentialExitCode : 1;
      throw new CliError(`${error.message} (request ${error.requestId ?? "unknown"})`, code);
    }
    if (error instanceof TypeError)
      throw new CliError("The server does not answer. Is it running? Start it with: plinth start");
    throw error;
  }
}
