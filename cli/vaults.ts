// `plinth vaults …`: its commands and their help; what each does is loaded when it is asked for.
import { Option, type Command } from "commander";
import {
  idParser,
  jsonOption,
  urlOption,
  yesOption,
  type Flags,
  type YesFlags,
} from "./options.ts";
import { fileOption, withMetadata } from "./request-body.ts";
import type { Terminal } from "./terminal.ts";
import type { AddFlags, CredentialFlags, VaultFlags } from "./vaults/options.ts";
import { withPages, type ListFlags } from "./workspace-calls.ts";

const vaultId = ["<vault>", "the id of the vault", idParser("vault", "vlt_01m7")] as const;
const credentialId = [
  "<credential>",
  "the id of the credential",
  idParser("credential", "vcrd_01m7"),
] as const;

export function addVaults(plinth: Command, terminal: Terminal): void {
  const vaults = plinth
    .command("vaults")
    .description(
      "credentials with which agents reach other services; with the key in PLINTH_API_KEY",
    )
    .addHelpText("after", examples);
  addWrites(vaults, terminal);
  addReads(vaults, terminal);
  addEnds(vaults, terminal);
  addCredentials(vaults, terminal);
}

const withAnswers = (command: Command) => command.option(...jsonOption).option(...urlOption);

function addWrites(vaults: Command, terminal: Terminal): void {
  const withFields = (command: Command) =>
    withAnswers(withMetadata(command.option("--name <name>", "what it is called")));
  withFields(vaults.command("create"))
    .description("make a vault, and print its id")
    .action(async (flags: VaultFlags) =>
      (await import("./vaults/vaults.ts")).create(terminal, flags),
    );
  withFields(vaults.command("update"))
    .description("change what is named of a vault; the rest stays")
    .argument(...vaultId)
    .action(async (id: string, flags: VaultFlags) =>
      (await import("./vaults/vaults.ts")).update(terminal, id, flags),
    );
}

function addReads(vaults: Command, terminal: Terminal): void {
  withPages(
    vaults
      .command("list")
      .description("the vaults of the key's workspace, newest first")
      .option("--archived", "those that are archived as well"),
  ).action(async (flags: ListFlags) => (await import("./vaults/vaults.ts")).list(terminal, flags));
  withAnswers(vaults.command("show"))
    .description("what is known of a vault")
    .argument(...vaultId)
    .action(async (id: string, flags: Flags) =>
      (await import("./vaults/vaults.ts")).show(terminal, id, flags),
    );
}

function addEnds(vaults: Command, terminal: Terminal): void {
  const add = (name: string, description: string) =>
    withAnswers(
      vaults
        .command(name)
        .description(description)
        .option(...yesOption),
    ).argument(...vaultId);
  add("archive", "close a vault for ever, and destroy the secrets in it").action(
    async (id: string, flags: YesFlags) =>
      (await import("./vaults/vaults.ts")).archive(terminal, id, flags),
  );
  add("delete", "delete a vault with its credentials").action(async (id: string, flags: YesFlags) =>
    (await import("./vaults/vaults.ts")).remove(terminal, id, flags),
  );
}

function addCredentials(vaults: Command, terminal: Terminal): void {
  const credentials = vaults
    .command("credentials")
    .description(
      "what a vault holds; secrets come from a file or standard input, and are never shown",
    )
    .addHelpText("after", credentialExamples);
  const withFields = (command: Command) =>
    withAnswers(
      withMetadata(command)
        .option("--name <name>", "what it is called")
        .option("--secret-file <file>", "the token or value alone; - is standard input")
        .option(
          "--hosts <name...>",
          "a variable: only to these hosts; *.example.com is all below it",
        )
        .option(...fileOption),
    );
  const kinds = [
    ["--bearer <url>", "a token for the MCP server at this address"],
    ["--oauth <url>", "an access token for it; with a refresh token in --file"],
    ["--variable <name>", "the value of an environment variable"],
  ] as const;
  const adding = withFields(credentials.command("add")).argument(...vaultId);
  for (const [flags, description] of kinds)
    adding.addOption(
      new Option(flags, description).conflicts(
        kinds
          .map(([each]) => each.slice(2).split(" ")[0] ?? "")
          .filter((each) => !flags.includes(each)),
      ),
    );
  adding
    .description("put a credential into a vault, and print its id")
    .action(async (vault: string, flags: AddFlags) =>
      (await import("./vaults/credentials.ts")).add(terminal, vault, flags),
    );
  withFields(credentials.command("update"))
    .description("change what is named of a credential; what it is for stays")
    .argument(...vaultId)
    .argument(...credentialId)
    .action(async (vault: string, id: string, flags: CredentialFlags) =>
      (await import("./vaults/credentials.ts")).update(terminal, { vault, id }, flags),
    );
  withPages(
    credentials
      .command("list")
      .description("the credentials of a vault, newest first")
      .argument(...vaultId)
      .option("--archived", "those that are archived as well"),
  ).action(async (vault: string, flags: ListFlags) =>
    (await import("./vaults/credentials.ts")).list(terminal, vault, flags),
  );
  addCredentialActs(credentials, terminal);
}

function addCredentialActs(credentials: Command, terminal: Terminal): void {
  const add = (name: string, description: string) =>
    withAnswers(credentials.command(name).description(description))
      .argument(...vaultId)
      .argument(...credentialId);
  add("show", "what is known of a credential, without its secrets").action(
    async (vault: string, id: string, flags: Flags) =>
      (await import("./vaults/credentials.ts")).show(terminal, { vault, id }, flags),
  );
  add("test", "try a credential at its MCP server; exit code 1 unless the token is taken").action(
    async (vault: string, id: string, flags: Flags) =>
      (await import("./vaults/credentials.ts")).test(terminal, { vault, id }, flags),
  );
  add("archive", "end a credential for ever, and destroy its secrets")
    .option(...yesOption)
    .action(async (vault: string, id: string, flags: YesFlags) =>
      (await import("./vaults/credentials.ts")).archive(terminal, { vault, id }, flags),
    );
  add("delete", "delete a credential")
    .option(...yesOption)
    .action(async (vault: string, id: string, flags: YesFlags) =>
      (await import("./vaults/credentials.ts")).remove(terminal, { vault, id }, flags),
    );
}

const examples = `
Examples:
  VAULT=$(plinth vaults create --name Support)
  plinth vaults credentials add $VAULT --bearer https://mcp.example.com/mcp --secret-file token.txt
  plinth vaults credentials test $VAULT vcrd_01m7…
  plinth vaults archive $VAULT --yes

Exit codes: 0 done, 1 refused or failed, 2 usage, 3 key, 130 Ctrl-C.`;

const credentialExamples = `
A secret never stands on the command line, where other people of the machine could read it.

Examples:
  pass show wiki | plinth vaults credentials add vlt_01m7… --bearer https://mcp.example.com/mcp --secret-file -
  plinth vaults credentials add vlt_01m7… --file oauth.json
  plinth vaults credentials add vlt_01m7… --variable API_KEY --hosts api.example.com --secret-file key.txt
  plinth vaults credentials update vlt_01m7… vcrd_01m7… --secret-file token.txt`;
