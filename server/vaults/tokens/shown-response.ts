// Answers of other servers as they are shown: cut, and without the secrets that they may repeat.
import type { OutsideAnswer } from "../../../kernel/http/outside/fetch.ts";
import { makeScrub } from "../../../kernel/secret/spellings.ts";
import { limits } from "../limits.ts";
import type { HttpResponse } from "../credentials/schema.ts";

/** Read beyond what is shown, so that a secret which begins there is whole, and found. */
export const shownBytesRead = limits.shownBodyCharactersMax + 8 * limits.secretCharactersMax;
const mark = "[secret]";

export function shownResponse(
  { status, headers, body, isCut }: OutsideAnswer,
  secrets: readonly string[],
): HttpResponse {
  const scrub = makeScrub(secrets, mark);
  const text = scrub(body.toString("utf8"));
  const shown = text.slice(0, limits.shownBodyCharactersMax);
  const type = headers["content-type"];
  return {
    status_code: status,
    content_type: scrub((Array.isArray(type) ? type[0] : type) ?? ""),
    // PostgreSQL does not keep it, but JSON readers take no half pair.
    body: shown.toWellFormed(),
    body_truncated: isCut || shown.length < text.length,
  };
}
