// What the tests of the page of files share: files of each kind, and a hand that drops and chooses them.
import { crc32, deflateSync } from "node:zlib";
import type { Page } from "playwright-core";
import type { House } from "../house.ts";
import { filesOf, type Upload } from "../rules/files-house.ts";
import { inPage, pick } from "./person.ts";

export const path = "/console/files";

function chunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type), data]);
  const frame = Buffer.alloc(8);
  frame.writeUInt32BE(data.length, 0);
  frame.writeUInt32BE(crc32(body), 4);
  return Buffer.concat([frame.subarray(0, 4), body, frame.subarray(4)]);
}

/** A picture with a slope of colours, so that one sees which way up it is. */
export function png(width: number, height: number): Buffer<ArrayBuffer> {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([8, 2], 8);
  const rows = Array.from({ length: height }, (_, y) =>
    Buffer.from([
      0,
      ...Array.from({ length: width }, (_each, x) => [
        Math.round((255 * x) / width),
        Math.round((255 * y) / height),
        160,
      ]).flat(),
    ]),
  );
  return Buffer.concat([
    Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]),
    chunk("IHDR", header),
    chunk("IDAT", deflateSync(Buffer.concat(rows))),
    chunk("IEND", Buffer.alloc(0)),
  ]);
}

export const pdf = "%PDF-1.4\n1 0 obj<</Type/Catalog>>endobj\ntrailer<</Root 1 0 R>>\n%%EOF\n";

/** A file that would run, where a browser lets it. */
export const evil = `<!doctype html><script>document.title = "taken"</script><h1>Evil</h1>`;
export const drawing = `<svg xmlns="http://www.w3.org/2000/svg" onload="document.title='taken'"><text>Hi</text></svg>`;

const kinds: Record<string, Upload> = {
  "plan.txt": { content: "The meeting is on Thursday.\n".repeat(12) },
  "prices.csv": { content: "item,price\ntea,3\n" },
  "map.png": { content: png(320, 200) },
  "contract.pdf": { content: pdf },
  "page.html": { content: evil },
  "drawing.svg": { content: drawing },
  "data.bin": { content: Buffer.from([1, 0, 255, 254, 3]) },
};

/** One of each kind; their ids by name. */
export async function uploadSampleFiles(
  house: House,
  who: Upload = {},
): Promise<Record<string, string>> {
  const ids: Record<string, string> = {};
  for (const [filename, upload] of Object.entries(kinds))
    ids[filename] = (await filesOf(house).upload({ ...upload, filename, ...who })).id;
  return ids;
}

/** Lets files fall onto an element, as a hand would. */
export const drop = (page: Page, selector: string, files: Record<string, string>) =>
  inPage(
    page,
    `{
      const data = new DataTransfer();
      for (const [name, text] of Object.entries(${JSON.stringify(files)}))
        data.items.add(new File([text], name));
      const target = document.querySelector(${JSON.stringify(selector)});
      for (const type of ["dragenter", "dragover", "drop"])
        target.dispatchEvent(
          new DragEvent(type, { dataTransfer: data, bubbles: true, cancelable: true }),
        );
    }`,
  );

export const choose = (page: Page, files: Record<string, string | Buffer>) =>
  page.getByLabel("Files to upload").setInputFiles(
    Object.entries(files).map(([name, content]) => ({
      name,
      mimeType: "",
      buffer: Buffer.from(content as string),
    })),
  );

export const uploads = (page: Page) => page.getByRole("list", { name: "Uploads" });
export const upload = (page: Page, name: string) =>
  uploads(page).getByRole("listitem").filter({ hasText: name });

/** What is done with a file, from the menu at its row. */
export async function act(page: Page, name: string, what: string): Promise<void> {
  await pick(page.getByRole("button", { name: `What to do with ${name}` }), what);
}
