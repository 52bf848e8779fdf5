// `plinth skills …`: its commands and their help; what each does is loaded when it is asked for.
import type { Command } from "commander";
import { idParser, jsonOption, urlOption, yesOption } from "./options.ts";
import type { DeleteFlags, DownloadFlags, UploadFlags, VersionFlags } from "./skills/options.ts";
import type { Terminal } from "./terminal.ts";
import { withPages, type PageFlags } from "./workspace-calls.ts";

const skillId = ["<id>", "the id of the skill", idParser("skill", "skill_01m7")] as const;
const source = ["<folder>", "the folder with SKILL.md in it, or a zip or tar of it"] as const;
const version = idParser("version", "skillver_01m7");

export function addSkills(plinth: Command, terminal: Terminal): void {
  const skills = plinth
    .command("skills")
    .description("folders of files that agents read at need; with the key in PLINTH_API_KEY")
    .addHelpText("after", examples);
  addUploads(skills, terminal);
  addReads(skills, terminal);
  addDownload(skills, terminal);
  addDelete(skills, terminal);
}

function addUploads(skills: Command, terminal: Terminal): void {
  skills
    .command("create")
    .description("make a skill of a folder, and print its id")
    .argument(...source)
    .option("--display-name <name>", "what people see it as, in place of the name in SKILL.md")
    .option("--all", "hidden files too")
    .option(...jsonOption)
    .option(...urlOption)
    .addHelpText("after", uploadHelp)
    .action(async (folder: string, flags: UploadFlags) =>
      (await import("./skills/write.ts")).create(terminal, folder, flags),
    );
  skills
    .command("update")
    .description("upload a folder as the next version of a skill, the latest from then on")
    .argument(...skillId)
    .argument(...source)
    .option("--all", "hidden files too")
    .option("--json", "print the version as one JSON object, as the API gives it")
    .option(...urlOption)
    .addHelpText("after", uploadHelp)
    .action(async (id: string, folder: string, flags: UploadFlags) =>
      (await import("./skills/write.ts")).update(terminal, id, folder, flags),
    );
}

function addReads(skills: Command, terminal: Terminal): void {
  withPages(
    skills.command("list").description("the skills of the key's workspace, newest first"),
  ).action(async (flags: PageFlags) => (await import("./skills/read.ts")).list(terminal, flags));
  skills
    .command("show")
    .description("what is known of a skill, and what it is for")
    .argument(...skillId)
    .option("--version <id>", "this version, in place of the latest", version)
    .option("--json", "print the skill, or the version that is named, as the API gives it")
    .option(...urlOption)
    .action(async (id: string, flags: VersionFlags) =>
      (await import("./skills/read.ts")).show(terminal, id, flags),
    );
  withPages(
    skills
      .command("versions")
      .description("the versions of a skill, newest first")
      .argument(...skillId),
  ).action(async (id: string, flags: PageFlags) =>
    (await import("./skills/read.ts")).versions(terminal, id, flags),
  );
}

function addDownload(skills: Command, terminal: Terminal): void {
  skills
    .command("download")
    .description("write the files of a skill as a folder with its name, and print where")
    .argument(...skillId)
    .option("--version <id>", "this version, in place of the latest", version)
    .option("--to <folder>", "the folder in which that is made", ".")
    .option("--json", "print one JSON object that says what was written")
    .option(...urlOption)
    .addHelpText("after", downloadHelp)
    .action(async (id: string, flags: DownloadFlags) =>
      (await import("./skills/download.ts")).download(terminal, id, flags),
    );
}

function addDelete(skills: Command, terminal: Terminal): void {
  skills
    .command("delete")
    .description("delete a skill with all its versions, or one of these")
    .argument(...skillId)
    .option("--version <id>", "this version alone", version)
    .option(...yesOption)
    .option(...jsonOption)
    .option(...urlOption)
    .addHelpText("after", deleteHelp)
    .action(async (id: string, flags: DeleteFlags) =>
      (await import("./skills/write.ts")).remove(terminal, id, flags),
    );
}

const examples = `
Examples:
  ID=$(plinth skills create ./pdf-forms)
  plinth skills update $ID ./pdf-forms           its next version
  plinth skills versions $ID
  plinth skills download $ID --to ./skills       a folder ./skills/pdf-forms
  plinth agents update agent_01m7… --skills $ID

Exit codes: 0 done, 1 refused or failed, 2 usage, 3 key, 130 Ctrl-C.`;

const uploadHelp = `
SKILL.md stands right in the folder, and begins with front matter: a name, and a description that says
what the skill is for. Links and hidden files are left out. What may be run stays so. An archive of
the folder (zip, tar, gzipped tar) goes out as it is.

Examples:
  plinth skills create ./pdf-forms --display-name "PDF forms"
  plinth skills update skill_01m7… ./pdf-forms
  plinth skills update skill_01m7… pdf-forms.zip`;

const downloadHelp = `
Nothing is written over: a folder with that name must not be there yet.

Example:
  plinth skills download skill_01m7… --version skillver_01m7… --to /tmp`;

const deleteHelp = `
The only version goes with its skill alone. That an agent names a version does not keep it.

Examples:
  plinth skills delete skill_01m7… --version skillver_01m7…
  plinth skills delete skill_01m7… --yes`;
