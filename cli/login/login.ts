// `plinth login`: a person's access to a server, granted in the browser and kept in a profile.
import { createHash } from "node:crypto";
import { ApiError, createClient, type Client } from "../../contract/client.ts";
import { addressOf, withServerErrors } from "../server-calls.ts";
import { CliError, exitCodes, type Terminal } from "../terminal.ts";
import { waitForBrowser } from "./callback.ts";
import { expectProfileName, writeProfile, type Credentials } from "./profiles.ts";

export interface LoginFlags {
  url?: string;
  profile: string;
  workspace?: string;
  scope: string;
  browser: boolean;
  json?: boolean;
}

/** The command line is a public client: it has no secret. */
export const clientId = "plinth-cli";
type Tokens = Awaited<ReturnType<Client["oauth"]["token"]>>;

export async function login(terminal: Terminal, flags: LoginFlags): Promise<void> {
  const name = expectProfileName(flags.profile);
  const baseUrl = addressOf(terminal, flags.url);
  const client = createClient({ baseUrl });
  const tokens =
    (flags.browser ? await throughBrowser(terminal, client, baseUrl, flags) : undefined) ??
    (await throughCode(terminal, client, flags));
  const me = await withServerErrors(
    createClient({ baseUrl, headers: { authorization: `Bearer ${tokens.access_token}` } }),
    (signedIn) => signedIn.oauth.userinfo(),
  );
  const credentials: Credentials = {
    version: "1.0",
    type: "oauth_token",
    access_token: tokens.access_token,
    expires_at: Math.floor(terminal.clock.now().getTime() / 1000) + tokens.expires_in,
    refresh_token: tokens.refresh_token ?? "",
  };
  const config = {
    version: "1.0",
    base_url: baseUrl,
    organization_id: me.organization.id,
    ...(flags.workspace !== undefined && { workspace_id: flags.workspace }),
    authentication: {
      type: "user_oauth" as const,
      client_id: clientId,
      scope: tokens.scope ?? flags.scope,
    },
  };
  await writeProfile(terminal.env, { name, config }, credentials);
  if (flags.json === true) terminal.write(`${JSON.stringify({ profile: name, ...me })}\n`);
  else terminal.write(`Signed in to ${me.organization.name} as ${me.email} (profile ${name}).\n`);
}

/** Code with PKCE: the browser returns to this machine. Undefined without a browser. */
async function throughBrowser(
  terminal: Terminal,
  client: Client,
  baseUrl: string,
  { scope, workspace }: LoginFlags,
): Promise<Tokens | undefined> {
  const state = terminal.randomBase64url(24);
  const verifier = terminal.randomBase64url(48);
  await using callback = await waitForBrowser(state);
  const query = new URLSearchParams({
    response_type: "code",
    client_id: clientId,
    redirect_uri: callback.redirectUri,
    code_challenge: createHash("sha256").update(verifier).digest("base64url"),
    code_challenge_method: "S256",
    scope,
    state,
    ...(workspace !== undefined && { workspace_id: workspace }),
  });
  const address = `${baseUrl}/authorize?${query.toString()}`;
  if (!(await terminal.openBrowser(address))) return undefined;
  terminal.note(`Your browser asks whether to sign in. If it does not open, go to:\n${address}\n`);
  const answer = await callback.answer;
  const code = answer.get("code");
  if (code === null) throw refused();
  return withServerErrors(client, () =>
    client.oauth.token({
      body: {
        grant_type: "authorization_code",
        client_id: clientId,
        code,
        code_verifier: verifier,
        redirect_uri: callback.redirectUri,
      },
    }),
  );
}

const refused = () =>
  new CliError(
    "Nothing was granted: the request was refused in the browser.",
    exitCodes.credential,
  );

/** Device code: the person types it in any browser. */
async function throughCode(
  terminal: Terminal,
  client: Client,
  { scope, workspace }: LoginFlags,
): Promise<Tokens> {
  const { clock } = terminal;
  const authorization = await withServerErrors(client, () =>
    client.oauth.device_authorization({
      body: {
        client_id: clientId,
        scope,
        ...(workspace !== undefined && { workspace_id: workspace }),
      },
    }),
  );
  terminal.note(
    `Open ${authorization.verification_uri} in a browser and enter the code ${authorization.user_code}\n` +
      `or open ${authorization.verification_uri_complete}\n`,
  );
  const untilMs = clock.monotonicMs() + authorization.expires_in * 1000;
  let everyMs = authorization.interval * 1000;
  while (clock.monotonicMs() < untilMs) {
    await clock.sleep(everyMs);
    try {
      return await client.oauth.token({
        body: {
          grant_type: "urn:ietf:params:oauth:grant-type:device_code",
          device_code: authorization.device_code,
          client_id: clientId,
        },
      });
    } catch (error) {
      if (!(error instanceof ApiError)) continue; // The network comes back, or time runs out.
      if (error.code === "slow_down") everyMs += 5_000;
      else if (error.code === "access_denied") throw refused();
      else if (error.code !== "authorization_pending") break;
    }
  }
  throw new CliError("The code has expired: run plinth login again.", exitCodes.credential);
}
