// `plinth workspaces …`: its commands and their help; what each does is loaded when it is asked for.
import { InvalidArgumentError, type Command } from "commander";
import {
  idParser,
  jsonOption,
  positiveInteger,
  urlOption,
  yesOption,
  type Flags,
  type YesFlags,
} from "./options.ts";
import type { Terminal } from "./terminal.ts";
import type { BodiesFlags, Rule } from "./workspaces/bodies.ts";
import { addMembers } from "./workspaces/members.ts";
import type { ListFlags, WorkspaceFlags } from "./workspaces/options.ts";

export const workspaceId = idParser("workspace", "wrkspc_01m7");

export function addWorkspaces(plinth: Command, terminal: Terminal): void {
  const workspaces = plinth
    .command("workspaces")
    .description("the parts of the organization, with the key in PLINTH_ADMIN_KEY or signed in")
    .addHelpText("after", examples);
  addList(workspaces, terminal);
  addChanges(workspaces, terminal);
  addArchive(workspaces, terminal);
  addBodies(workspaces, terminal);
  addMembers(workspaces, terminal);
}

function addList(workspaces: Command, terminal: Terminal): void {
  workspaces
    .command("list")
    .description("the workspaces, newest first, the default one among them")
    .option("--archived", "those that are archived as well")
    .option("--limit <N>", "how many, up to 1000", positiveInteger, 20)
    .option("--after <id>", "those that come after this one in the list", workspaceId)
    .option(...jsonOption)
    .option(...urlOption)
    .action(async (flags: ListFlags) =>
      (await import("./workspaces/read.ts")).list(terminal, flags),
    );
  workspaces
    .command("show")
    .description("what is known of a workspace")
    .argument("<id>", "the id of the workspace", workspaceId)
    .option(...jsonOption)
    .option(...urlOption)
    .action(async (id: string, flags: Flags) =>
      (await import("./workspaces/read.ts")).show(terminal, id, flags),
    );
}

function addChanges(workspaces: Command, terminal: Terminal): void {
  withFacts(workspaces.command("create"))
    .description("make a workspace, and print its id")
    .argument("<name>", "what it is called")
    .action(async (name: string, flags: WorkspaceFlags) =>
      (await import("./workspaces/write.ts")).create(terminal, name, flags),
    );
  withFacts(workspaces.command("update"))
    .description("change what is named of a workspace; the rest stays")
    .argument("<id>", "the id of the workspace", workspaceId)
    .option("--name <name>", "another name")
    .option("--untag <key...>", "take these tags away")
    .action(async (id: string, flags: WorkspaceFlags) =>
      (await import("./workspaces/write.ts")).update(terminal, id, flags),
    );
}

const withFacts = (command: Command): Command =>
  command
    .option("--color <hex>", "its colour in the console, such as #0E8A6A", hex)
    .option("--tag <key=value>", "a tag; once for each", tag)
    .option("--allow <places>", "inference_geo that requests may name: us, global or any", geos)
    .option("--default-geo <place>", "the default one of them: us or global", geo)
    .option(...jsonOption)
    .option(...urlOption);

function addArchive(workspaces: Command, terminal: Terminal): void {
  workspaces
    .command("archive")
    .description("archive a workspace for ever; its API keys stop working at once")
    .argument("<id>", "the id of the workspace", workspaceId)
    .option(...yesOption)
    .option(...jsonOption)
    .option(...urlOption)
    .action(async (id: string, flags: YesFlags) =>
      (await import("./workspaces/write.ts")).archive(terminal, id, flags),
    );
}

function addBodies(workspaces: Command, terminal: Terminal): void {
  workspaces
    .command("bodies")
    .description("what a workspace keeps of what is said in its requests: nothing, until --on")
    .argument("<id>", "the id of the workspace", workspaceId)
    .option("--on", "keep requests and answers of models from now on, encrypted")
    .option("--off", "keep no more; what was kept stays for its time")
    .option("--max-bytes <N>", "of a request, and of its answer: up to 1048576", positiveInteger)
    .option("--kept-days <N>", "how long each is kept: up to 30", positiveInteger)
    .option("--redact <rule>", `what is taken out before; once for each: ${ruleWords}`, rule)
    .option("--delete", "delete all that was kept until now")
    .option(...yesOption)
    .option(...jsonOption)
    .option(...urlOption)
    .action(async (id: string, flags: BodiesFlags) =>
      (await import("./workspaces/bodies.ts")).bodies(terminal, id, flags),
    );
}

const ruleWords = "email, phone, card_number, field:NAME, word:WORDS; none takes all of them away";

/** They replace those that were set before. */
function rule(text: string, before: Rule[] = []): Rule[] {
  if (text === "none") return [];
  if (text === "email" || text === "phone" || text === "card_number")
    return [...before, { type: text }];
  const at = text.indexOf(":");
  const [type, what] = [text.slice(0, at), text.slice(at + 1)];
  if (type === "field" && what !== "") return [...before, { type, field: what }];
  if (type === "word" && what !== "") return [...before, { type, word: what }];
  throw new InvalidArgumentError(`It must be one of ${ruleWords}.`);
}

function hex(text: string): string {
  if (!/^#[0-9a-f]{6}$/i.test(text))
    throw new InvalidArgumentError("It must be # and six hex digits, such as #0E8A6A.");
  return text;
}

function tag(text: string, before: Record<string, string> = {}): Record<string, string> {
  const at = text.indexOf("=");
  if (at < 1) throw new InvalidArgumentError("It must be key=value, such as team=search.");
  return { ...before, [text.slice(0, at)]: text.slice(at + 1) };
}

function geo(text: string): "global" | "us" {
  if (text !== "global" && text !== "us")
    throw new InvalidArgumentError("It must be us or global.");
  return text;
}

const geos = (text: string): "unrestricted" | ("global" | "us")[] =>
  text === "any" || text === "unrestricted" ? "unrestricted" : text.split(",").map(geo);

const examples = `
Examples:
  ID=$(plinth workspaces create Search --tag team=relevance --json | jq -r .id)
  plinth workspaces update $ID --color "#8B5CF6" --untag team
  plinth workspaces members add $ID user_01m7… --role developer
  plinth workspaces bodies $ID --on --kept-days 3 --redact email --redact field:metadata.user_id
  plinth keys list --workspace $ID
  plinth workspaces archive $ID --yes

Exit codes: 0 done, 1 refused or failed, 2 usage, 3 key, 130 Ctrl-C.`;
