// What elements of a page mean for its text.

/** Nothing in them is text for a reader. Not `noscript`: what is there is for readers like this one. */
export const skipped: ReadonlySet<string> = new Set([
  "script",
  "style",
  "template",
  "svg",
  "math",
  "iframe",
  "noembed",
  "noframes",
  "object",
  "textarea",
  "select",
  "datalist",
]);

const paragraphs = [
  "p",
  "h1",
  "h2",
  "h3",
  "h4",
  "h5",
  "h6",
  "ul",
  "ol",
  "dl",
  "table",
  "blockquote",
  "pre",
  "section",
  "article",
  "header",
  "footer",
  "nav",
  "aside",
  "main",
  "form",
  "figure",
  "hr",
];
const lines = [
  "div",
  "li",
  "tr",
  "dt",
  "dd",
  "br",
  "address",
  "caption",
  "figcaption",
  "fieldset",
  "legend",
  "option",
  "details",
  "summary",
  "body",
];

/** How many lines end before it and behind it. */
export const breaksOf: ReadonlyMap<string, 1 | 2> = new Map([
  ...paragraphs.map((name) => [name, 2] as const),
  ...lines.map((name) => [name, 1] as const),
]);

/** The attributes that matter, by element. */
export const attributeOf: ReadonlyMap<string, string> = new Map([
  ["a", "href"],
  ["base", "href"],
  ["img", "alt"],
]);
