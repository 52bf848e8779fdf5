// `plinth vaults credentials …`: secrets are read from a file or standard input, and never printed.
import { readFile } from "node:fs/promises";
import type {
  VaultCredential,
  VaultsCredentialsCreateBody,
  VaultsCredentialsUpdateBody,
} from "../../contract/types.ts";
import { confirm } from "../confirm.ts";
import { fileError } from "../file-error.ts";
import type { Flags, YesFlags } from "../options.ts";
import { escapeControls } from "../print-answer.ts";
import { detailsTable, formatDate, printResult } from "../print-result.ts";
import { asFields, metadataOf, readFields, type Fields } from "../request-body.ts";
import { CliError, exitCodes, type Terminal } from "../terminal.ts";
import { askWithApiKey, printPage, type ListFlags } from "../workspace-calls.ts";
import type { AddFlags, CredentialFlags, CredentialId } from "./options.ts";

const paramsOf = ({ vault, id }: CredentialId) => ({ vault_id: vault, credential_id: id });

export async function add(terminal: Terminal, vault: string, flags: AddFlags): Promise<void> {
  const given = await readFields(terminal, flags.file);
  const auth = { ...asFields(given["auth"]), ...kindOf(flags) };
  if (auth["type"] === undefined)
    throw new CliError(
      "Say what it is for: --bearer URL, --oauth URL, --variable NAME, or auth in --file.",
      exitCodes.usage,
    );
  const fields = await fieldsOf(terminal, given, auth, flags, false);
  if (fields.auth["type"] === "environment_variable" && fields.auth["networking"] === undefined)
    throw new CliError(
      "Say where the value may go: --hosts api.example.com, or networking in --file.",
      exitCodes.usage,
    );
  // The server checks the fields, and explains errors in a sentence.
  const body = fields as unknown as VaultsCredentialsCreateBody;
  const made = await askWithApiKey(terminal, flags, (client) =>
    client.vaults.credentials.create({ params: { vault_id: vault }, body }),
  );
  printResult(terminal, flags, made, () => `${made.id}\n`);
}

function kindOf({ bearer, oauth, variable }: AddFlags): Fields {
  if (bearer !== undefined) return { type: "static_bearer", mcp_server_url: bearer };
  if (oauth !== undefined) return { type: "mcp_oauth", mcp_server_url: oauth };
  return variable === undefined ? {} : { type: "environment_variable", secret_name: variable };
}

const secretFields: Record<string, string> = {
  static_bearer: "token",
  mcp_oauth: "access_token",
  environment_variable: "secret_value",
};

async function fieldsOf(
  terminal: Terminal,
  given: Fields,
  auth: Fields,
  { secretFile, hosts, name, metadata, file }: CredentialFlags,
  isUpdate: boolean,
): Promise<Fields & { auth: Fields }> {
  if (secretFile === "-" && file === "-")
    throw new CliError("Standard input is read once: name a file for the other.", exitCodes.usage);
  const secret = secretFile === undefined ? undefined : await readSecret(terminal, secretFile);
  const { vault_id: _, ...rest } = given;
  return {
    ...rest,
    auth: {
      ...auth,
      ...(secret !== undefined && { [secretFields[String(auth["type"])] ?? "token"]: secret }),
      ...(hosts !== undefined && { networking: { type: "limited", allowed_hosts: hosts } }),
    },
    ...(name !== undefined && { display_name: name === "" ? null : name }),
    ...metadataOf(given, metadata, isUpdate),
  };
}

/** The line end that editors and `echo` put behind it is not part of it. */
export async function readSecret(terminal: Terminal, file: string): Promise<string> {
  const text =
    file === "-"
      ? await terminal.readInput()
      : await readFile(file, "utf8").catch((error: NodeJS.ErrnoException) => {
          throw fileError(error, file);
        });
  return text.replace(/\r?\n$/, "");
}

export async function update(
  terminal: Terminal,
  name: CredentialId,
  flags: CredentialFlags,
): Promise<void> {
  const given = await readFields(terminal, flags.file, name.id);
  const params = paramsOf(name);
  await askWithApiKey(terminal, flags, async (client) => {
    const before = await client.vaults.credentials.retrieve({ params });
    const auth = { type: before.auth.type, ...asFields(given["auth"]) };
    const fields = await fieldsOf(terminal, given, auth, flags, true);
    const { auth: changed, ...rest } = fields;
    const isAuth = Object.keys(changed).length > 1;
    if (!isAuth && Object.keys(rest).length === 0)
      throw new CliError(
        "Say what to change: --secret-file, --name, --hosts, --metadata or --file.",
        exitCodes.usage,
      );
    const body = { ...rest, ...(isAuth && { auth: changed }) } as VaultsCredentialsUpdateBody;
    const after = await client.vaults.credentials.update({ params, body });
    const isSame = after.updated_at === before.updated_at;
    printResult(
      terminal,
      flags,
      after,
      () => `${isSame ? "nothing changed:" : "updated"} ${name.id}\n`,
    );
  });
}

export async function list(terminal: Terminal, vault: string, flags: ListFlags): Promise<void> {
  const { limit, page: cursor, archived = false } = flags;
  const input = {
    params: { vault_id: vault },
    query: { limit, page: cursor, include_archived: archived },
  };
  const page = await askWithApiKey(terminal, flags, (client) =>
    client.vaults.credentials.list(input),
  );
  printPage(terminal, flags, page, {
    titles: ["ID", "NAME", "TYPE", "FOR", "CREATED", "ARCHIVED"],
    row: (credential) => [
      credential.id,
      credential.display_name === null ? "-" : escapeControls(credential.display_name),
      credential.auth.type,
      escapeControls(purposeOf(credential)),
      formatDate(credential.created_at),
      formatDate(credential.archived_at),
    ],
    none: "The vault has no credentials.",
  });
}

const purposeOf = ({ auth }: VaultCredential): string =>
  auth.type === "environment_variable" ? auth.secret_name : auth.mcp_server_url;

export async function show(terminal: Terminal, name: CredentialId, flags: Flags): Promise<void> {
  const found = await askWithApiKey(terminal, flags, (client) =>
    client.vaults.credentials.retrieve({ params: paramsOf(name) }),
  );
  printResult(terminal, flags, found, () => detailsTable(factsOf(found)));
}

function factsOf(credential: VaultCredential): [string, string][] {
  const { auth, display_name: name, metadata, archived_at: archived } = credential;
  const facts: [string, string][] = [
    ["id", credential.id],
    ["vault", credential.vault_id],
    ["name", name ?? "-"],
    ["type", auth.type],
    ["for", purposeOf(credential)],
    ...authFacts(auth),
    ...Object.entries(metadata).map((pair): [string, string] => ["metadata", pair.join("=")]),
    ["created", credential.created_at],
    ["changed", credential.updated_at],
    ...(archived === null ? [] : [["archived", archived] as [string, string]]),
  ];
  return facts.map(([fact, value]) => [fact, escapeControls(value.replaceAll(/\s+/g, " "))]);
}

function authFacts(auth: VaultCredential["auth"]): [string, string][] {
  if (auth.type === "static_bearer") return [];
  if (auth.type === "mcp_oauth")
    return [
      ["ends", auth.expires_at ?? "-"],
      ["renewed at", auth.refresh?.token_endpoint ?? "-"],
      ["scope", auth.refresh?.scope ?? "-"],
    ];
  const { networking, injection_location: where } = auth;
  const hosts = networking.type === "limited" ? networking.allowed_hosts : [networking.type];
  return [
    ...hosts.map((host): [string, string] => ["hosts", host]),
    ["put into", [where.header && "headers", where.body && "bodies"].filter(Boolean).join(", ")],
  ];
}

export async function test(terminal: Terminal, name: CredentialId, flags: Flags): Promise<void> {
  const found = await askWithApiKey(terminal, flags, (client) =>
    client.vaults.credentials.mcp_oauth_validate({ params: paramsOf(name) }),
  );
  const { status, refresh, mcp_probe: probe } = found;
  printResult(terminal, flags, found, () =>
    detailsTable([
      ["status", status],
      ...(refresh === null ? [] : [["refresh", refresh.status] as [string, string]]),
      ...answer("token endpoint", refresh?.http_response),
      ...answer("MCP server", probe?.http_response),
    ]),
  );
  if (status !== "valid") throw new CliError(`The token of ${name.id} is ${status}.`);
}

type Response = { status_code: number; body: string } | null | undefined;
const answer = (from: string, response: Response): [string, string][] =>
  response == null
    ? []
    : [[from, escapeControls(`${response.status_code} ${response.body.replaceAll(/\s+/g, " ")}`)]];

export async function archive(
  terminal: Terminal,
  name: CredentialId,
  flags: YesFlags,
): Promise<void> {
  await askFirst(terminal, name, flags, "Archive?", "Its secrets are destroyed at once.");
  const archived = await askWithApiKey(terminal, flags, (client) =>
    client.vaults.credentials.archive({ params: paramsOf(name) }),
  );
  printResult(terminal, flags, archived, () => `archived ${name.id}\n`);
}

export async function remove(
  terminal: Terminal,
  name: CredentialId,
  flags: YesFlags,
): Promise<void> {
  await askFirst(terminal, name, flags, "Delete?", "It is gone at once.");
  const deleted = await askWithApiKey(terminal, flags, (client) =>
    client.vaults.credentials.delete({ params: paramsOf(name) }),
  );
  printResult(terminal, flags, deleted, () => `deleted ${name.id}\n`);
}

async function askFirst(
  terminal: Terminal,
  name: CredentialId,
  flags: YesFlags,
  question: string,
  consequence: string,
): Promise<void> {
  if (flags.yes === true) return;
  const found = await askWithApiKey(terminal, flags, (client) =>
    client.vaults.credentials.retrieve({ params: paramsOf(name) }),
  );
  terminal.note(
    `${escapeControls(found.display_name ?? purposeOf(found))} (${name.id})\n${consequence} That cannot be undone.\n`,
  );
  await confirm(terminal, question, "Nothing was changed.");
}
