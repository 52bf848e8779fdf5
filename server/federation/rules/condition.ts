// Conditions of rules: CEL over the claims of a token, within limits of size and time.
import { createContext, Script } from "node:vm";
import { Environment, type ASTNode } from "@marcbachmann/cel-js";
import { invalid } from "../../../kernel/base/failure.ts";
import { madeUpTokens } from "./condition-probe.ts";
import { namesIn, pathsIn, patternsIn, type Claims } from "./condition-tree.ts";
import { limits } from "../limits.ts";

const environment = new Environment({
  unlistedVariablesAreDyn: false,
  limits: {
    maxAstNodes: limits.conditionNodesMax,
    maxDepth: 40,
    maxListElements: 100,
    maxMapEntries: 100,
    maxCallArguments: 10,
  },
}).registerVariable("claims", "map");

/** Regular expressions can run for ever: a watchdog ends everything that runs under this script, our code included. */
const underWatch = new Script("run()");

/** The watchdog's clock runs on while a busy machine does something else: one more try tells the two apart. */
function within<T>(ms: number, run: () => T): T {
  const once = () => underWatch.runInContext(createContext({ run }), { timeout: ms }) as T;
  try {
    return once();
  } catch (error) {
    if (!isTimeout(error)) throw error;
    return once();
  }
}

const isTimeout = (error: unknown) =>
  (error as { code?: unknown }).code === "ERR_SCRIPT_EXECUTION_TIMEOUT";

export type ConditionResult = { holds: boolean } | { failed: string };

/** Rule FED9: the condition's value for these claims; why it has none where it breaks. */
export function evaluate(condition: string, claims: Claims): ConditionResult {
  try {
    const value: unknown = within(limits.conditionMs, () =>
      environment.evaluate(condition, { claims: celValue(claims) }),
    );
    if (typeof value === "boolean") return { holds: value };
    return { failed: "it gives neither true nor false" };
  } catch (error) {
    return { failed: firstLine(error) };
  }
}

function firstLine(error: unknown): string {
  const { message = "" } = error as { message?: string };
  if (isTimeout(error)) return `it takes longer than ${limits.conditionMs} milliseconds`;
  return message.split("\n")[0]?.slice(0, 200) ?? "";
}

/** In a condition, whole numbers of JSON are integers: `claims.run == 7`. */
function celValue(value: unknown): unknown {
  if (typeof value === "number" && Number.isSafeInteger(value)) return BigInt(value);
  if (Array.isArray(value)) return value.map(celValue);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, celValue(each)]));
}

/** Rule FED9: refuses texts that are no condition, name other things than claims, or hold of any token. */
export function expectCondition(condition: string): void {
  const ast = parse(condition);
  if (!namesIn(ast).includes("claims"))
    throw invalid(
      "match.condition: says nothing of claims, so it is the same for every token. Name a claim, as in claims.repository_id == '123'.",
    );
  const tokens = madeUpTokens(ast);
  const { failed } = evaluate(condition, tokens[0] ?? {}) as { failed?: string };
  if (failed?.includes("milliseconds")) throw invalid(`match.condition: ${failed}.`);
  if (holdsOfAny(ast, condition, tokens))
    throw invalid(
      "match.condition: holds of any token that has the claims it names. Ask for a value that only yours have; has(claims.name) asks for a claim alone.",
    );
}

/** Whether it was true at least once, and never false. A token for which it has no value counts as neither. */
function holdsOfAny(ast: ASTNode, condition: string, tokens: readonly Claims[]): boolean {
  try {
    return within(limits.conditionProbesMs, () => {
      // Not every pattern is matched by a made-up text: one that no token matches may be what the condition excludes.
      if (patternsIn(ast).some((pattern) => !isMet(pattern, tokens))) return false;
      const holds = environment.parse(condition);
      const verdicts = tokens.map((claims) => {
        try {
          return holds({ claims: celValue(claims) }) as unknown;
        } catch {
          return undefined;
        }
      });
      return verdicts.includes(true) && !verdicts.includes(false);
    });
  } catch (error) {
    throw invalid(
      isTimeout(error)
        ? "match.condition: takes too long to be tried on made-up tokens. Ask for values rather than for patterns."
        : `match.condition: ${firstLine(error)}.`,
    );
  }
}

function isMet(pattern: string, tokens: readonly Claims[]): boolean {
  const expression = new RegExp(pattern);
  return tokens.some((claims) =>
    Object.values(claims).some((value) => typeof value === "string" && expression.test(value)),
  );
}

function parse(condition: string): ASTNode {
  try {
    return within(limits.conditionMs, () => {
      const parsed = environment.parse(condition);
      const { valid, type, error } = parsed.check();
      if (!valid) throw error;
      if (type !== "bool" && type !== "dyn") throw new Error(`it gives ${type}, not true or false`);
      return parsed.ast;
    });
  } catch (error) {
    throw invalid(`match.condition: is no condition in CEL: ${firstLine(error)}.`);
  }
}

/** The claims at the top level that it names: `claims.email`, `claims["email"]`. */
export function claimsNamedIn(condition: string): string[] {
  try {
    return pathsIn(environment.parse(condition).ast).flatMap(([claim]) => claim ?? []);
  } catch {
    return [];
  }
}
