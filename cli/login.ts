// `plinth login`, `logout` and `whoami`: the identity that commands use when no key is set.
import type { Command } from "commander";
import { createClient } from "../contract/client.ts";
import { login, type LoginFlags } from "./login/login.ts";
import { readCredentials, readProfile, removeProfile } from "./login/profiles.ts";
import { organizationOf } from "./administration.ts";
import { urlOption } from "./options.ts";
import { clientOf, consoleAddressOf, keyOf, withServerErrors } from "./server-calls.ts";
import { CliError, exitCodes, type Terminal } from "./terminal.ts";

const jsonOption = ["--json", "print one JSON object"] as const;
const profileOption = [
  "--profile <name>",
  "the sign-in that is meant (default: PLINTH_PROFILE, or the last one)",
] as const;

export function addLogin(plinth: Command, terminal: Terminal): void {
  plinth
    .command("login")
    .description("sign in at a server with a browser; later commands need no key")
    .option(...urlOption)
    .option("--profile <name>", "the name that this sign-in is kept under", "default")
    .option("--workspace <id>", "work in this workspace (default: the default one)")
    .option("--scope <scopes>", "what to ask for", "org:admin workspace:developer")
    .option("--no-browser", "open no browser here: show a code to enter in any")
    .option(...jsonOption)
    .action((flags: LoginFlags) => login(terminal, flags));
  plinth
    .command("logout")
    .description("end a sign-in, on the server as well")
    .option(...profileOption)
    .action((flags: { profile?: string }) => logout(terminal, flags));
  plinth
    .command("whoami")
    .description("say who commands speak for: the key that is set, or who is signed in")
    .option(...urlOption)
    .option(...profileOption)
    .option(...jsonOption)
    .action((flags: WhoFlags) => whoami(terminal, flags));
}

interface WhoFlags {
  url?: string;
  profile?: string;
  json?: boolean;
}

async function logout(terminal: Terminal, flags: { profile?: string }): Promise<void> {
  const profile = await readProfile(terminal.env, flags.profile);
  if (profile === undefined) throw new CliError("Nobody is signed in here.", exitCodes.credential);
  const { config, name } = profile;
  const credentials = await readCredentials(terminal.env, name);
  if (credentials !== undefined) {
    const client = createClient({ baseUrl: config.base_url });
    await withServerErrors(client, () =>
      client.oauth.revoke({
        body: {
          token: credentials.refresh_token,
          client_id: config.authentication.client_id,
        },
      }),
    );
  }
  await removeProfile(terminal.env, name);
  terminal.write(`Signed out of ${config.base_url} (profile ${name}).\n`);
}

async function whoami(terminal: Terminal, flags: WhoFlags): Promise<void> {
  const env = { ...terminal.env, ...(flags.profile && { PLINTH_PROFILE: flags.profile }) };
  const client = clientOf({ ...terminal, env }, flags.url, keyNames);
  const tell = (facts: object, lines: string) =>
    terminal.write(flags.json === true ? `${JSON.stringify(facts)}\n` : lines);
  if (keyOf(terminal, keyNames) !== undefined) {
    const home = await consoleAddressOf(terminal, flags.url, keyNames);
    const organization = await withServerErrors(client, () => organizationOf(client, home));
    return tell(organization, `${organization.name}  ${organization.id}\n`);
  }
  const me = await withServerErrors(client, () => client.oauth.userinfo());
  const { organization } = me;
  tell(me, `${me.name}  ${me.email}\n${organization.name}  ${organization.id}\n`);
}

const keyNames = ["PLINTH_ADMIN_KEY", "PLINTH_API_KEY"] as const;
