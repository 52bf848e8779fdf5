// What is taken out of texts: kinds that are known by how they look, and words. Nothing here takes longer than in
// proportion to the text: all repetitions are bounded, and a workspace gives words, no expressions.
import { withoutSecrets } from "../../../kernel/observe/redact.ts";
import type { RedactRule } from "../schema.ts";

export const kinds = ["email", "card_number", "phone"] as const;
type Kind = (typeof kinds)[number];

export const mark = (what: string) => `[redacted: ${what}]`;

export type TextRedactor = (text: string) => string;

/** Secrets go always, and first: half of one may look like something else. */
export function textRedactorOf(rules: readonly RedactRule[]): TextRedactor {
  const wanted = new Set(rules.map(({ type }) => type));
  const words = rules.flatMap((rule) => (rule.type === "word" ? [rule.word] : []));
  const inOrder: TextRedactor[] = [withoutSecrets, withoutSpokenSecrets];
  if (words.length > 0) inOrder.push(withoutWords(words));
  for (const kind of kinds) if (wanted.has(kind)) inOrder.push(byKind[kind]);
  return (text) => inOrder.reduce((clean, redact) => redact(clean), text);
}

/** Keys of well-known services, by how they begin. */
const foreignKeys =
  /\b(?:AIza|[srp]k_(?:live|test)_|glpat-|github_pat_|npm_|hf_|gsk_|ya29\.|SG\.[\w-]{10,80}\.)[\w-]{12,}/g;

/** As people paste them: `DB_PASSWORD=…`, `api_key: "…"`, `secret = …`; in logs such words name much else. */
const named =
  /((?:pass(?:word|wd|phrase)|pwd|secret|(?:api|access|account|private|secret|master)[-_ ]?key|token)["'`]?\s{0,4}[:=]\s{0,4}["'`]?)(?!\[redacted)[^\s"'`,;{[][^\s"'`,;]{3,}/gi;

const withoutSpokenSecrets: TextRedactor = (text) =>
  text.replace(foreignKeys, mark("secret")).replace(named, `$1${mark("secret")}`);

/** Longest first, so that the one inside the other leaves nothing of it; without case. */
function withoutWords(words: readonly string[]): TextRedactor {
  const inOrder = words.toSorted((one, other) => other.length - one.length);
  const pattern = new RegExp(inOrder.map(literally).join("|"), "giu");
  return (text) => text.replace(pattern, mark("word"));
}

const literally = (word: string) => word.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&");

const mailDomain = /@[\p{L}\p{N}\p{M}-]{1,63}(?:\.[\p{L}\p{N}\p{M}-]{1,63}){1,8}/gu;
const mailName = /[\p{L}\p{N}\p{M}.!#$%&'*+/=?^_`{|}~-]+$/u;
const mailNameMax = 320;

/** From the @ on both ways: an expression for all of it would begin anew at each letter of a long text. */
function withoutEmails(text: string): string {
  let clean = "";
  let taken = 0;
  for (const { 0: domain, index } of text.matchAll(mailDomain)) {
    const before = text.slice(Math.max(taken, index - mailNameMax), index);
    const name = mailName.exec(before)?.[0] ?? "";
    if (name === "") continue;
    clean += text.slice(taken, index - name.length) + mark("email");
    taken = index + domain.length;
  }
  return taken === 0 ? text : clean + text.slice(taken);
}

/** With a country; within one, from its 0 on; and three groups of ten digits. */
const phones = [
  /(?<![\w+])\+\d(?:[ \u00a0()./-]{0,2}\d){6,14}(?!\d)/g,
  /(?<![\w.])\(?0\d{1,5}\)?[ \u00a0./-]{0,3}\d(?:[ \u00a0./-]?\d){3,12}(?![\w.]?\d)/g,
  /(?<![\w.])(?:1[-. ])?\(?[2-9]\d{2}\)?[-. ]{1,2}\d{3}[-. ]\d{4}(?!\d)/g,
];

/** Digits in groups, of which some may be a number of a card and others the date behind it. */
const digitGroups = /\d{1,40}(?:[ \u00a0-]\d{1,40}){0,40}/g;

const byKind: Record<Kind, TextRedactor> = {
  email: withoutEmails,
  card_number: (text) => text.replace(digitGroups, withoutCards),
  phone: (text) => phones.reduce((clean, one) => clean.replace(one, mark("phone")), text),
};

function withoutCards(run: string): string {
  if (run.length < cardDigitsMin) return run;
  const groups = [...run.matchAll(/\d+/g)].map(({ 0: digits, index }) => ({
    digits,
    from: index,
    to: index + digits.length,
  }));
  let clean = "";
  let taken = 0;
  for (let first = 0; first < groups.length; first++) {
    const last = lastOfCard(groups.slice(first).map(({ digits }) => digits));
    if (last === undefined) continue;
    clean += run.slice(taken, groups[first]?.from) + mark("card_number");
    first += last;
    taken = groups[first]?.to ?? run.length;
  }
  return clean + run.slice(taken);
}

const cardDigitsMin = 13;
const cardDigitsMax = 19;

/** How many groups behind the first one still belong to a card that begins there: the most that do. */
function lastOfCard(groups: readonly string[]): number | undefined {
  let digits = "";
  let last: number | undefined;
  for (const [at, group] of groups.entries()) {
    digits += group;
    if (digits.length > cardDigitsMax) break;
    if (digits.length >= cardDigitsMin && /^[2-6]/.test(digits) && hasCheckDigit(digits)) last = at;
  }
  return last;
}

/** As numbers of cards end: the sum of all digits, every second one doubled, is a multiple of ten. */
function hasCheckDigit(digits: string): boolean {
  let sum = 0;
  for (let at = 0; at < digits.length; at++) {
    const digit = Number(digits[digits.length - 1 - at]);
    const doubled = at % 2 === 0 ? digit : digit * 2;
    sum += doubled > 9 ? doubled - 9 : doubled;
  }
  return sum % 10 === 0;
}
