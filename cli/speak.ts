// Talking to the server: which one, with which key, and its refusals as sentences with the next step.
import { ApiError, createClient, type Client } from "../contract/client.ts";
import { CliError, exitCodes, type Terminal } from "./terminal.ts";

export function clientOf(
  terminal: Terminal,
  url: string | undefined,
  keyNames: readonly [string, ...string[]],
): Client {
  const key = keyNames
    .map((name) => terminal.env[name])
    .find((value) => value !== undefined && value !== "");
  if (key === undefined)
    throw new CliError(
      `Set ${keyNames.at(0)} to a key of the server first. The console makes one.`,
      exitCodes.credential,
    );
  return createClient({ baseUrl: addressOf(terminal, url), headers: { "x-api-key": key } });
}

/** Where the server is, without a slash at the end. */
export const addressOf = ({ env }: Pick<Terminal, "env">, url: string | undefined): string =>
  (url ?? env["PLINTH_BASE_URL"] ?? "http://127.0.0.1:8787").replace(/\/+$/, "");

export async function speak<T>(client: Client, ask: (client: Client) => Promise<T>): Promise<T> {
  try {
    return await ask(client);
  } catch (error) {
    if (error instanceof ApiError) {
      const isCredential = error.status === 401 || error.status === 403;
      throw new CliError(
        `${error.message} (request ${error.requestId ?? "unknown"})`,
        isCredential ? exitCodes.credential : 1,
      );
    }
    if (error instanceof TypeError)
      throw new CliError("The server does not answer. Is it running? Start it with: plinth start");
    throw error;
  }
}

const causeOf = (error: unknown): string | undefined =>
  error instanceof TypeError ? (error.cause as NodeJS.ErrnoException | undefined)?.code : undefined;

/** Something was sent, and then nobody was there any more. */
export const isBrokenConnection = (error: unknown): boolean => brokenConnection.has(causeOf(error));

const brokenConnection: ReadonlySet<string | undefined> = new Set([
  "ECONNRESET",
  "EPIPE",
  "UND_ERR_SOCKET",
  "UND_ERR_HEADERS_TIMEOUT",
]);

/** The body had not as many bytes as were said before it was sent. */
export const isOtherLength = (error: unknown): boolean =>
  causeOf(error) === "UND_ERR_REQ_CONTENT_LENGTH_MISMATCH";
