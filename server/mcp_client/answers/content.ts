// What a tool of a server answered, as a model can read it.
import type { CallToolResult } from "@modelcontextprotocol/client";
import { cutText, pictureIn, type ToolResult } from "../../sandboxes/module.ts";
import { limits } from "../limits.ts";
import { clean, type Scrub } from "../lists/tools.ts";
import { structuredOf, type WholeResult } from "./pages.ts";

type Given = CallToolResult["content"][number];
type Shown = ToolResult["content"][number];

/**
 * What cannot be shown is told; `scrub` takes out what no model may see. The texts of all of it have one bound, and so
 * have its pictures.
 */
export async function readResult(result: CallToolResult, scrub: Scrub): Promise<WholeResult> {
  const { content, structuredContent, isError } = result;
  const structured = structuredOf(result, scrub);
  const blocks: Shown[] = [];
  let pictureRoom: number = limits.pictureCharactersMax;
  for (const given of content.slice(0, limits.blocksMax)) {
    const block = await readBlock(given, pictureRoom);
    if (block.type === "image") pictureRoom -= block.source.data.length;
    blocks.push(block);
  }
  const left = content.length - blocks.length;
  if (left > 0) blocks.push(text(`[${left} more pieces of this result are left out]`));
  // Servers say the same as text for those who read text.
  const hasText = blocks.some((block) => block.type === "text");
  if (!hasText && structuredContent !== undefined)
    blocks.push(text(JSON.stringify(structuredContent)));
  return { content: fitted(blocks, scrub), structured, isError: isError === true };
}

const text = (words: string): Shown => ({ type: "text", text: words });

async function readBlock(given: Given, pictureRoom: number): Promise<Shown> {
  switch (given.type) {
    case "text":
      return text(given.text);
    case "image":
      return readPicture(given.data, given.mimeType, pictureRoom);
    case "audio":
      return text(`[Sound of the type ${given.mimeType}, which cannot be shown]`);
    case "resource_link": {
      const more = [given.title, given.description].filter((each) => each !== undefined);
      return text([`[Resource ${given.name}: ${given.uri}]`, ...more].join("\n"));
    }
    case "resource": {
      const { resource } = given;
      if ("text" in resource) return text(`[Resource ${resource.uri}]\n${resource.text}`);
      const { mimeType = "unknown" } = resource;
      return mimeType.startsWith("image/")
        ? readPicture(resource.blob, mimeType, pictureRoom)
        : text(`[Resource ${resource.uri} of the type ${mimeType}, which cannot be shown]`);
    }
    default:
      return text("[A piece of a kind that cannot be shown]");
  }
}

/** By its bytes, not by what the server says of it: a model that cannot read one would answer nothing any more. */
export async function readPicture(data: string, said: string, room: number): Promise<Shown> {
  const bytes = Buffer.from(data, "base64");
  const encoded = bytes.toString("base64");
  if (encoded.length > room)
    return text(`[A picture of ${bytes.length} bytes, which is too large to be shown]`);
  const picture = await pictureIn(bytes);
  if (picture?.isWhole !== true)
    return text(`[A picture of the type ${said}, which cannot be shown]`);
  return {
    type: "image",
    source: { type: "base64", media_type: picture.mediaType, data: encoded },
  };
}

/** Texts come in their order, until there is no room for more. A secret that is cut would be shown in part. */
function fitted(blocks: readonly Shown[], scrub: Scrub): Shown[] {
  let room: number = limits.shownCharactersMax;
  return blocks.flatMap((block) => {
    if (block.type !== "text") return [block];
    if (room <= 0 || block.text === "") return [];
    const whole = scrub(block.text);
    const shown = clean(cutText(whole, room));
    room -= whole.length;
    return [text(shown)];
  });
}
