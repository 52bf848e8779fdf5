// HTML as a tagged template: what is put in is escaped, unless it is HTML itself.

export class Html {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

type Part = Html | string | number | false | undefined | readonly Part[];

export function html(strings: TemplateStringsArray, ...parts: readonly Part[]): Html {
  return new Html(
    strings
      .map((text, index) => text + (index < parts.length ? render(parts[index]) : ""))
      .join(""),
  );
}

function render(part: Part): string {
  if (part === undefined || part === false) return "";
  if (part instanceof Html) return part.text;
  if (typeof part === "object") return part.map(render).join("");
  return escape(String(part));
}

const entities: Record<string, string> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

const escape = (text: string) => text.replace(/[&<>"']/g, (character) => entities[character] ?? "");

/** Text in which `words` in backticks are code. */
export const prose = (text: string): Html =>
  html`${text
    .split("`")
    .map((part, index) => (index % 2 === 1 ? html`<code>${part}</code>` : part))}`;
