// What a condition names, read off its syntax tree.
import type { ASTNode } from "@marcbachmann/cel-js";

export type Claims = Record<string, unknown>;

/** The path to a value in a token: `claims.resource["name"]` is `resource`, `name`. */
export type ClaimPath = readonly string[];

/** Every node of a tree whose arguments may be nodes, lists of them, or other values. */
export function* nodesOf(value: unknown): Generator<ASTNode> {
  if (Array.isArray(value)) for (const each of value) yield* nodesOf(each);
  else if (typeof value === "object" && value !== null && "op" in value && "args" in value) {
    yield value as ASTNode;
    yield* nodesOf(value.args);
  }
}

export const namesIn = (ast: ASTNode): string[] =>
  [...nodesOf(ast)].flatMap((node) => (node.op === "id" ? [node.args] : []));

/** Every path in a token that the condition names, shorter ones that lead there included. */
export const pathsIn = (ast: ASTNode): ClaimPath[] =>
  [...nodesOf(ast)].flatMap((node) => {
    const path = pathOf(node);
    if (path !== undefined && path.length > 0) return [path];
    // `'email' in claims` names one as well.
    return node.op === "in" && pathOf(node.args[1])?.length === 0 && isText(node.args[0])
      ? [[node.args[0].args]]
      : [];
  });

/** For `claims` itself, the empty path; for what does not start there, undefined. */
function pathOf(node: ASTNode): ClaimPath | undefined {
  if (node.op === "id") return node.args === "claims" ? [] : undefined;
  if (node.op !== "." && node.op !== "[]" && node.op !== ".?" && node.op !== "[?]")
    return undefined;
  const [from, what] = node.args;
  const before = pathOf(from);
  const step = typeof what === "string" ? what : isText(what) ? what.args : undefined;
  return before === undefined || step === undefined ? undefined : [...before, step];
}

const isText = (node: ASTNode): node is ASTNode & { args: string } =>
  node.op === "value" && typeof node.args === "string";

/** The texts and whole numbers in it. */
export const literalsIn = (ast: ASTNode): { texts: string[]; numbers: number[] } => {
  const values = [...nodesOf(ast)].flatMap((node) => (node.op === "value" ? [node.args] : []));
  return {
    texts: values.filter((value) => typeof value === "string"),
    numbers: values.filter((value) => typeof value === "bigint").map(Number),
  };
};

/** The regular expressions in it that are literal texts. */
export const patternsIn = (ast: ASTNode): string[] =>
  [...nodesOf(ast)].flatMap((node) => {
    if (node.op === "rcall" && node.args[0] === "matches")
      return node.args[2].filter(isText).map(({ args }) => args);
    return [];
  });
