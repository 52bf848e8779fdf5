// How many columns of a screen a text takes, and texts cut or padded to so many.

/** Signs of East Asia and pictures take two columns, marks upon a letter none. */
const wide =
  /[\u1100-\u115f\u2e80-\u303e\u3041-\u33ff\u3400-\u4dbf\u4e00-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{1f300}-\u{1faff}\u{20000}-\u{3fffd}]|\p{Emoji_Presentation}|\ufe0f/u;
const plain = /^[\x20-\x7e]*$/;
const segmenter = new Intl.Segmenter("en", { granularity: "grapheme" });

const signsOf = (text: string): string[] =>
  Array.from(segmenter.segment(text), ({ segment }) => segment);

const widthOfSign = (sign: string): number =>
  /^[\p{M}\p{Cf}]+$/u.test(sign) ? 0 : wide.test(sign) ? 2 : 1;

export const displayWidth = (text: string): number =>
  plain.test(text)
    ? text.length
    : signsOf(text).reduce((width, sign) => width + widthOfSign(sign), 0);

export const padText = (text: string, columns: number): string =>
  text + " ".repeat(Math.max(0, columns - displayWidth(text)));

/** With … where something was left out. */
export function cutText(text: string, columns: number): string {
  if (displayWidth(text) <= columns) return text;
  if (columns < 1) return "";
  let kept = "";
  let width = 0;
  for (const sign of signsOf(text)) {
    width += widthOfSign(sign);
    if (width > columns - 1) break;
    kept += sign;
  }
  return `${kept}…`;
}
