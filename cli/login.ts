// `plinth login`, `logout` and `whoami`: the identity that commands use when no key is set.
import type { Command } from "commander";
import { createClient } from "../contract/client.ts";
import { login, type LoginFlags } from "./login/login.ts";
import { whoami, type WhoFlags } from "./login/whoami.ts";
import { readCredentials, readProfile, removeProfile } from "./login/profiles.ts";
import { urlOption } from "./options.ts";
import { withServerErrors } from "./server-calls.ts";
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
    .description("say what commands speak for: each key that is set, or the person signed in")
    .option(...urlOption)
    .option(...profileOption)
    .option("--json", "print one JSON object for each, a line each")
    .addHelpText("after", whoamiHelp)
    .action((flags: WhoFlags) => whoami(terminal, flags));
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

const whoamiHelp = `
Of each key it tells the kind, the name, the organization with its type, the workspace, scopes and
permissions. Commands that work in a workspace take PLINTH_API_KEY, those that administer the
organization PLINTH_ADMIN_KEY; plinth worker takes PLINTH_ENVIRONMENT_KEY.

Examples:
  plinth whoami
  plinth whoami --json | jq -r .organization.type
  plinth whoami --profile work

Exit codes: 0 done, 1 refused or failed, 2 usage, 3 key, 130 Ctrl-C.`;
