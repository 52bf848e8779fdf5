// What the tests of the pages of skills share: skills with versions, and folders to drop.
import assert from "node:assert/strict";
import type { Page } from "playwright-core";
import type { House } from "../house.ts";
import { inPage } from "./person.ts";

export const path = "/console/skills";

export const documentOf = (name: string, description: string, more = "Run scripts/fill.py.\n") =>
  `---\nname: ${name}\ndescription: ${description}\n---\n# How\n\n${more}`;

export type Folder = Record<string, string>;

export const sampleFolder: Folder = {
  "pdf-forms/SKILL.md": documentOf(
    "pdf-forms",
    "Fills forms in PDF files. Use it when a form is to be read or filled.",
  ),
  "pdf-forms/scripts/fill.py": "#!/usr/bin/env python3\nprint('filled')\n",
  "pdf-forms/reference/fields.md": "Fields have names.\n".repeat(40),
};

/** Uploads as a program does; the id of the skill. */
export async function upload(house: House, folder: Folder, skill?: string): Promise<string> {
  const form = new FormData();
  for (const [name, text] of Object.entries(folder)) form.append("files[]", new Blob([text]), name);
  const { api_key: key } = house.organizations.platform;
  const to = skill === undefined ? "/v1/skills" : `/v1/skills/${skill}/versions`;
  const answer = await fetch(house.url + to, {
    method: "POST",
    headers: { "x-api-key": key },
    body: form,
  });
  const made = (await answer.json()) as { id: string };
  assert.equal(answer.status, 200, JSON.stringify(made));
  return made.id;
}

/**
 * Lets a folder fall onto the page. A browser makes entries of what a hand drops and of nothing else: these are made
 * here, with what the page asks of them.
 */
export const dropFolder = (page: Page, folder: Folder) =>
  inPage(
    page,
    `{
      const files = ${JSON.stringify(folder)};
      const at = (path) => {
        const name = path.split("/").at(-1);
        if (files[path] !== undefined)
          return {
            name,
            isDirectory: false,
            file: (give) => give(new File([files[path]], name)),
          };
        const steps = path.split("/").length;
        const inside = new Set(
          Object.keys(files)
            .filter((each) => each.startsWith(path + "/"))
            .map((each) => each.split("/").slice(0, steps + 1).join("/")),
        );
        let left = [...inside].map(at);
        return {
          name,
          isDirectory: true,
          createReader: () => ({ readEntries: (give) => give(left.splice(0, 1)) }),
        };
      };
      const tops = [...new Set(Object.keys(files).map((each) => each.split("/")[0]))];
      const items = tops.map((top) => ({
        kind: "file",
        getAsFile: () => new File([], top),
        webkitGetAsEntry: () => at(top),
      }));
      for (const type of ["dragover", "drop"]) {
        const event = new DragEvent(type, { bubbles: true, cancelable: true });
        Object.defineProperty(event, "dataTransfer", { value: { items } });
        document.querySelector("h1").dispatchEvent(event);
      }
    }`,
  );
