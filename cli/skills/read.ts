// `plinth skills list`, `show` and `versions`.
import { escapeControls } from "../print-answer.ts";
import { detailsTable, formatDate, printResult } from "../print-result.ts";
import type { Terminal } from "../terminal.ts";
import { askWithApiKey, printPage, type PageFlags } from "../workspace-calls.ts";
import type { VersionFlags } from "./options.ts";

export async function list(terminal: Terminal, flags: PageFlags): Promise<void> {
  const query = { limit: flags.limit, page: flags.page };
  const page = await askWithApiKey(terminal, flags, (client) => client.skills.list({ query }));
  printPage(terminal, flags, page, {
    titles: ["ID", "NAME", "LATEST VERSION", "CHANGED"],
    row: (skill) => [
      skill.id,
      escapeControls(skill.display_name),
      skill.latest_version_id,
      formatDate(skill.updated_at),
    ],
    none: "There are no skills here.",
  });
}

/** The skill, and what its latest version is for; with a version, that one. */
export async function show(terminal: Terminal, id: string, flags: VersionFlags): Promise<void> {
  const { version } = flags;
  await askWithApiKey(terminal, flags, async (client) => {
    const params = { skill_id: id };
    const skill = await client.skills.retrieve({ params });
    if (version === undefined && flags.json === true) {
      terminal.write(`${JSON.stringify(skill)}\n`);
      return;
    }
    const found = await client.skills.versions.retrieve({
      params: { skill_id: id, version: version ?? skill.latest_version_id },
    });
    const isLatest = found.id === skill.latest_version_id;
    printResult(terminal, flags, found, () =>
      detailsTable([
        ["id", id],
        ["name", escapeControls(skill.display_name)],
        ["folder", found.name],
        ["description", oneLine(found.description)],
        ["version", `${found.id}${isLatest ? ", the latest" : ""}`],
        ["made", found.created_at],
        ["created", skill.created_at],
      ]),
    );
  });
}

const oneLine = (text: string) => escapeControls(text.replaceAll(/\s+/g, " "));

export async function versions(terminal: Terminal, id: string, flags: PageFlags): Promise<void> {
  const input = { params: { skill_id: id }, query: { limit: flags.limit, page: flags.page } };
  const page = await askWithApiKey(terminal, flags, (client) => client.skills.versions.list(input));
  printPage(terminal, flags, page, {
    titles: ["VERSION", "MADE", "DESCRIPTION"],
    row: (version) => [version.id, version.created_at, oneLine(version.description)],
    none: "There are no more versions.",
  });
}
