// What an address answered with, as a model can read it: pages as text, text as it is, PDFs where the model takes them.
import type { OutsideAnswer } from "../../../kernel/http/outside/fetch.ts";
import type { World } from "../../../kernel/context.ts";
import type { AgentConfig } from "../../agents/module.ts";
import { catalogOf, tokensOfBytes } from "../../models/module.ts";
import { done, ToolFault, type ToolResult } from "../../sandboxes/module.ts";
import type { ToolSettings } from "../config.ts";
import { limits } from "../limits.ts";
import { decode } from "./charset.ts";
import { readHtml } from "./html.ts";

export interface Answered {
  url: URL;
  answer: OutsideAnswer;
  settings: Pick<ToolSettings, "max_content_tokens">;
  config: Pick<AgentConfig, "model">;
  signal: AbortSignal;
}

/** Rule WEB6. */
export async function showAnswer(world: World, answered: Answered): Promise<ToolResult> {
  const { url, answer, config } = answered;
  const { type, charset } = typeOf(answer);
  if (answer.status < 200 || answer.status > 299) throw refused(url, answer, type, charset);
  if (type === "application/pdf") return showDocument(world, url, answer, config);
  if (isHtml(type)) return showPage(answered, charset);
  if (isText(type)) {
    const text = decode({ bytes: answer.body, charset, isHtml: false });
    return done(inFull({ url, title: "", text, isCut: false }, bytesMaxOf(answered)));
  }
  throw new ToolFault(
    `${url.href} is ${type === "" ? "of no type that it names" : type}: only text, pages and PDFs can be read.`,
  );
}

interface ContentType {
  /** In small letters; empty where none is named. */
  type: string;
  charset: string | undefined;
}

function typeOf({ headers, body }: OutsideAnswer): ContentType {
  const given = headers["content-type"];
  const [type = "", ...parameters] = (Array.isArray(given) ? given[0] : given)?.split(";") ?? [];
  const charset = parameters
    .map((parameter) => /^\s*charset\s*=\s*"?([^"\s]+)/i.exec(parameter)?.[1])
    .find((found) => found !== undefined);
  const named = type.trim().toLowerCase();
  return { type: named === "" ? guessed(body) : named, charset };
}

/** Of an answer that names no type. */
function guessed(body: Buffer): string {
  const start = body.toString("latin1", 0, 512).trimStart().toLowerCase();
  if (/^<(!doctype html|html|head|body)\b/.test(start)) return "text/html";
  if (start.startsWith("%pdf-")) return "application/pdf";
  return body.includes(0) ? "" : "text/plain";
}

const isHtml = (type: string) => type === "text/html" || type === "application/xhtml+xml";

/** Names of text that are not `text/…`. */
const otherText =
  /^application\/(json|xml|javascript|ecmascript|yaml|x-yaml|toml|sql|graphql|x-ndjson|ndjson|jsonl|x-sh|rtf|[\w.+-]+\+(json|xml|yaml))$/;
const isText = (type: string) => type.startsWith("text/") || otherText.test(type);

async function showPage(answered: Answered, charset: string | undefined): Promise<ToolResult> {
  const { url, answer, signal } = answered;
  const bytesMax = bytesMaxOf(answered);
  const html = decode({ bytes: answer.body, charset, isHtml: true });
  const page = await readHtml(html, { url: url.href, charactersMax: bytesMax, signal });
  if (page.text === "" && page.title === "")
    throw new ToolFault(
      `${url.href} has no text. It may be a page that a program in the browser fills.`,
    );
  return done(inFull({ url, ...page }, bytesMax));
}

const bytesMaxOf = ({ settings }: Pick<Answered, "settings">) =>
  Math.min(
    (settings.max_content_tokens ?? limits.fetchedTokensDefault) * limits.bytesPerToken,
    limits.shownBytesMax,
  );

interface Shown {
  url: URL;
  title: string;
  text: string;
  isCut: boolean;
}

/** With where it came from, since that need not be the address that was asked for. */
function inFull({ url, title, text, isCut }: Shown, bytesMax: number): string {
  const kept = beginningOf(text, bytesMax);
  const head = [title === "" ? "" : `Title: ${title}\n`, `Address: ${url.href}\n\n`].join("");
  const isWhole = !isCut && kept.length === text.length;
  const note = `\n[The page is cut here: of its text ${tokensOfBytes(bytesMax)} tokens are shown.]`;
  return `${head}${kept}${isWhole ? "" : note}`;
}

/** No character is cut through. */
function beginningOf(text: string, bytesMax: number): string {
  if (text.length * 3 <= bytesMax) return text;
  const { read } = new TextEncoder().encodeInto(text, new Uint8Array(bytesMax));
  return text.slice(0, read);
}

/** Where its words are text, the first of them are told. */
function refused(
  url: URL,
  { status, body }: OutsideAnswer,
  type: string,
  charset: string | undefined,
): ToolFault {
  const isPlain = isText(type) && !isHtml(type);
  const said = isPlain ? decode({ bytes: body, charset, isHtml: false }).trim() : "";
  const words = said === "" ? "" : ` ${beginningOf(said, limits.errorTextBytesMax)}`;
  return new ToolFault(`${url.href} answered with the status ${status}.${words}`);
}

function showDocument(
  world: World,
  url: URL,
  { body }: OutsideAnswer,
  { model }: Pick<AgentConfig, "model">,
): ToolResult {
  if (catalogOf(world).resolve(model.id)?.documents !== true)
    throw new ToolFault(`${url.href} is a PDF, which the model of this agent cannot read.`);
  if (body.length > limits.documentBytesMax)
    throw new ToolFault(
      `${url.href} is a PDF of more than ${limits.documentBytesMax} bytes, which cannot be shown.`,
    );
  const source = {
    type: "base64" as const,
    media_type: "application/pdf" as const,
    data: body.toString("base64"),
  };
  const [address] = done(`Address: ${url.href}`).content;
  return {
    content: [...(address === undefined ? [] : [address]), { type: "document", source }],
    isError: false,
  };
}
