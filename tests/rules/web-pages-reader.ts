// A thread of its own that reads pages which would cost another reader much: its memory is limited from outside.
import { parentPort } from "node:worker_threads";
import { readHtml } from "../../server/web_tools/page/html.ts";

export const pageCharacters = 10 * 1024 * 1024;
const filled = (piece: string, share = 1) =>
  piece.repeat(Math.ceil((pageCharacters * share) / piece.length));

/** For readers that keep a tree, look back, or write down what they will not show. */
const hostile: Readonly<Record<string, () => string>> = {
  "open tags": () => filled("<b>"),
  "nested blocks": () => filled("<div>", 0.5) + filled("</div>", 0.5),
  "tags that close nothing": () => filled("<b></i>"),
  "nested lists": () => filled("<ul><li>x"),
  "links that do not end": () => filled("<a href=x>y"),
  "one link around all": () => `<a href=x>${filled("y <p>")}`,
  "an attribute without an end": () => `<a href="${filled("&amp;")}`,
  "many attributes": () => `<a ${filled("href=x ")}>`,
  "a name without an end": () => `<${filled("a")}`,
  "a comment without an end": () => `<!--${filled("- ")}`,
  "a script that nearly ends": () => `<script>${filled("</scrip ")}`,
  "half tags": () => filled("<"),
  "half entities": () => filled("&CounterClockwiseContourIntegra"),
  "main parts": () => `<main>${filled("<main>x")}`,
  "white space": () => filled(" \n"),
  "drawings in drawings": () => filled("<svg>"),
  titles: () => filled("<title>"),
  "a title without an end": () => `<title>${filled("x ")}`,
  "open code": () => filled("<pre> x\n"),
};
export const hostileCount = Object.keys(hostile).length;

export interface Cost {
  what: string;
  /** Of a core. */
  ms: number;
  /** How often other work had its turn meanwhile. */
  turns: number;
  shown: number;
}

async function costOf(what: string, html: string): Promise<Cost> {
  const url = "https://a.example/";
  const { signal } = new AbortController();
  let [isOver, turns] = [false, 0];
  const look = () => {
    turns += 1;
    if (!isOver) setImmediate(look);
  };
  setImmediate(look);
  const before = process.threadCpuUsage();
  const { title, text } = await readHtml(html, { url, charactersMax: 100_000, signal });
  const { user, system } = process.threadCpuUsage(before);
  isOver = true;
  return { what, ms: (user + system) / 1000, turns, shown: title.length + text.length };
}

// Also imported for its types and names.
if (parentPort !== null)
  for (const [what, page] of Object.entries(hostile))
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- threads have no origin
    parentPort.postMessage(await costOf(what, page()));
