// Behaviour rules and their tests: each id in a RULES.md has a test that bears it, and no test bears an id of nothing.
import { isTest, takeApart, type Rule, type Source, type Violation } from "./source.ts";

/** `- **KEY3** A key …`, `KEY3 A key …`, `### KEY3`. */
const definition = /^(?:[-*#]+\s+)?[*_`]{0,3}([A-Z]{2,8}\d+)[*_`]{0,3}[.:)]?[*_`]{0,3}\s/;
const reference = /\[([A-Z]{2,8}\d+)\]/g;

interface Defined {
  id: string;
  path: string;
}

export const definedRules = (sources: readonly Source[]): Defined[] =>
  sources
    .filter(({ path }) => /^(?:server|kernel)\/.*RULES\.md$/.test(path))
    .flatMap(({ path, text }) =>
      text.split("\n").flatMap((line) => {
        const id = definition.exec(`${line} `)?.[1];
        return id === undefined ? [] : [{ id, path }];
      }),
    );

/** Ids in the strings of tests: their names. A comment proves nothing. */
function testedRules(sources: readonly Source[]): Map<string, string> {
  const tested = new Map<string, string>();
  // Tidy's own tests plant ids that nobody defines.
  const tests = sources.filter(
    (source) => isTest(source) && !source.path.startsWith("tests/tidy/"),
  );
  for (const { path, text } of tests)
    for (const piece of takeApart(text))
      if (piece.kind === "literal")
        for (const [, id = ""] of piece.text.matchAll(reference)) tested.set(id, path);
  return tested;
}

export const ruleIds: Rule = (sources) => {
  const defined = definedRules(sources);
  const tested = testedRules(sources);
  const places = new Map(defined.map(({ id, path }) => [id, path]));
  const say = (path: string, message: string): Violation => ({ rule: "rule-ids", path, message });
  // What belongs to no noun and to no part of the kernel is numbered in families of its own.
  const families = new Set(defined.map(({ id }) => familyOf(id)));
  const isAboutOne = (path: string) => /^(?:tests\/rules|tests\/kernel|kernel)\//.test(path);
  const seen = new Set<string>();
  return [
    ...defined.flatMap(({ id, path }) => {
      const twice = seen.has(id);
      seen.add(id);
      return twice ? [say(path, `${id} is defined twice: ids are never used again.`)] : [];
    }),
    ...defined
      .filter(({ id }) => !tested.has(id))
      .map(({ id, path }) => say(path, `${id} has no test: name one "[${id}] …".`)),
    ...[...tested]
      .filter(([id, path]) => !places.has(id) && (families.has(familyOf(id)) || isAboutOne(path)))
      .map(([id, path]) => say(path, `tests [${id}], which no RULES.md defines: write the rule.`)),
  ];
};

const familyOf = (id: string) => id.replace(/\d+$/, "");
