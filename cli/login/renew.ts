// Requests of a profile: its access token, renewed in time, by one process of this machine at a time.
import { open, rm, stat } from "node:fs/promises";
import { ApiError, createClient } from "../../contract/client.ts";
import { CliError, exitCodes, type Terminal } from "../terminal.ts";
import {
  credentialsPath,
  readCredentials,
  writeCredentials,
  type Credentials,
  type Profile,
} from "./profiles.ts";

/** A token with less than this left is renewed before it is used, as the official client does. */
const renewSeconds = 30;
/** A process that holds the lock for longer has died. */
const lockMs = 20_000;
const lockPollMs = 50;

/** `fetch` in the name of the signed-in person; a 401 renews once. */
export function fetchAs(terminal: Terminal, profile: Profile): typeof fetch {
  return async (input, init) => {
    const { authentication, workspace_id } = profile.config;
    const send = (token: string) => {
      const headers = new Headers(init?.headers);
      headers.set("authorization", `Bearer ${token}`);
      if (workspace_id !== undefined && authentication.type === "user_oauth")
        headers.set("anthropic-workspace-id", workspace_id);
      return terminal.fetch(input, { ...init, headers });
    };
    const token = await tokenOf(terminal, profile);
    const response = await send(token);
    // A streamed body has been sent already.
    if (response.status !== 401 || init?.body instanceof ReadableStream) return response;
    const renewed = await renew(terminal, profile, token);
    await response.body?.cancel();
    return send(renewed);
  };
}

async function tokenOf(terminal: Terminal, profile: Profile): Promise<string> {
  const credentials = await known(terminal, profile);
  const seconds = terminal.clock.now().getTime() / 1000;
  return seconds < credentials.expires_at - renewSeconds
    ? credentials.access_token
    : renew(terminal, profile, credentials.access_token);
}

/** A refresh token works once: two processes that use it at the same time would end the sign-in. */
async function renew(terminal: Terminal, profile: Profile, old: string): Promise<string> {
  await using _lock = await lockFile(
    terminal,
    `${credentialsPath(terminal.env, profile.name)}.lock`,
  );
  const credentials = await known(terminal, profile);
  if (credentials.access_token !== old) return credentials.access_token;
  const client = createClient({ baseUrl: profile.config.base_url });
  try {
    const renewed = await client.oauth.token({
      body: {
        grant_type: "refresh_token",
        refresh_token: credentials.refresh_token,
        client_id: profile.config.authentication.client_id,
      },
    });
    const next: Credentials = {
      ...credentials,
      access_token: renewed.access_token,
      expires_at: Math.floor(terminal.clock.now().getTime() / 1000) + renewed.expires_in,
      refresh_token: renewed.refresh_token ?? credentials.refresh_token,
    };
    await writeCredentials(terminal.env, profile.name, next);
    return next.access_token;
  } catch (error) {
    if (error instanceof ApiError && error.status < 500) throw signedOut(profile);
    throw error;
  }
}

async function known(terminal: Terminal, profile: Profile): Promise<Credentials> {
  const credentials = await readCredentials(terminal.env, profile.name);
  if (credentials === undefined) throw signedOut(profile);
  return credentials;
}

const signedOut = ({ name, config }: Profile) =>
  new CliError(
    `The sign-in of the profile ${name} at ${config.base_url} has ended: run plinth login again.`,
    exitCodes.credential,
  );

async function lockFile({ clock }: Terminal, path: string): Promise<AsyncDisposable> {
  for (;;) {
    try {
      await (await open(path, "wx", 0o600)).close();
      return { [Symbol.asyncDispose]: () => rm(path, { force: true }) };
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
    }
    const since = await stat(path).catch(() => undefined);
    if (since !== undefined && clock.now().getTime() - since.mtimeMs > lockMs)
      await rm(path, { force: true });
    await clock.sleep(lockPollMs);
  }
}
