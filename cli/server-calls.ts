// Calls of the server: its address, the credential, and its refusals as sentences with the next step.
import { ApiError, createClient, type Client } from "../contract/client.ts";
import { fetchAs } from "./login/renew.ts";
import { readProfile, type Profile } from "./login/profiles.ts";
import { waitingFetch } from "./retry-after.ts";
import { CliError, exitCodes, type Terminal } from "./terminal.ts";

/** With the key that is set, else in the name of the person who is signed in. */
export function clientOf(
  terminal: Terminal,
  url: string | undefined,
  keyNames: readonly [string, ...string[]],
): Client {
  const key = keyOf(terminal, keyNames);
  if (key !== undefined)
    return createClient({
      baseUrl: addressOf(terminal, url),
      fetch: waitingFetch(terminal, terminal.fetch),
      headers: { "x-api-key": key },
    });
  return createClient({
    baseUrl: "",
    fetch: waitingFetch(terminal, async (input, init) => {
      const path = input instanceof Request ? input.url : input.toString();
      const profile = await readProfile(terminal.env);
      if (profile === undefined)
        throw new CliError(
          `Set ${keyNames[0]} to a key of the server first, which the console makes, or sign in with plinth login.`,
          exitCodes.credential,
        );
      expectSameServer(profile, url ?? terminal.env["PLINTH_BASE_URL"]);
      return fetchAs(terminal, profile)(`${profile.config.base_url}${path}`, init);
    }),
  });
}

export const keyOf = ({ env }: Pick<Terminal, "env">, names: readonly string[]) =>
  names.map((name) => env[name]).find((value) => value !== undefined && value !== "");

/** A token goes to the server that made it, and to no other. */
function expectSameServer({ name, config }: Profile, url: string | undefined): void {
  if (url === undefined || url.replace(/\/+$/, "") === config.base_url) return;
  throw new CliError(
    `The profile ${name} is signed in at ${config.base_url}, not at ${url}. Sign in there with plinth login --url ${url}.`,
    exitCodes.credential,
  );
}

/** The server's address, without a slash at the end. */
export const addressOf = ({ env }: Pick<Terminal, "env">, url: string | undefined): string =>
  (url ?? env["PLINTH_BASE_URL"] ?? "http://127.0.0.1:8787").replace(/\/+$/, "");

/** The address of the console for the person who is signed in, or the key that is set. */
export async function consoleAddressOf(
  terminal: Terminal,
  url: string | undefined,
  keyNames: readonly string[],
): Promise<string> {
  const isNamed = (url ?? terminal.env["PLINTH_BASE_URL"]) !== undefined;
  if (isNamed || keyOf(terminal, keyNames) !== undefined) return addressOf(terminal, url);
  const profile = await readProfile(terminal.env);
  return profile?.config.base_url ?? addressOf(terminal, url);
}

export async function withServerErrors<T>(
  client: Client,
  ask: (client: Client) => Promise<T>,
): Promise<T> {
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

/** A request was sent, and the connection broke before an answer came. */
export const isBrokenConnection = (error: unknown): boolean => brokenConnection.has(causeOf(error));

const brokenConnection: ReadonlySet<string | undefined> = new Set([
  "ECONNRESET",
  "EPIPE",
  "UND_ERR_SOCKET",
  "UND_ERR_HEADERS_TIMEOUT",
]);

/** The body had fewer or more bytes than were announced. */
export const isOtherLength = (error: unknown): boolean =>
  causeOf(error) === "UND_ERR_REQ_CONTENT_LENGTH_MISMATCH";
