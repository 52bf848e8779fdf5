// Made-up tokens to try a condition on: a condition that holds of each of them says nothing about whose token it is.
import type { ASTNode } from "@marcbachmann/cel-js";
import { seededRandom, type Random } from "../../../kernel/base/random.ts";
import { literalsIn, pathsIn, type ClaimPath, type Claims } from "./condition-tree.ts";
import { limits } from "../limits.ts";

/** When tokens are issued, in seconds: from now on, as far ahead as a rule would date. */
const issuedFrom = 1_760_000_000;
const issuedTo = 2_400_000_000;

/** Claims of every token, of any issuer. */
const ofEvery = new Set(["sub", "iss", "aud", "iat", "exp"]);

/** Claims of some tokens, for conditions that count claims or go through them. */
const ofSome: readonly ClaimPath[] = [["email"], ["jti"], ["nbf"], ["repository"], ["groups"]];

/** The same tokens for the same condition. */
export function madeUpTokens(ast: ASTNode): Claims[] {
  const literals = literalsIn(ast);
  const random = seededRandom(ast.input.length);
  const maker = {
    random,
    // A condition compares with an empty text only to test presence.
    texts: literals.texts.filter((text) => text !== ""),
    numbers: literals.numbers,
  };
  const paths = [...ofSome, ...pathsIn(ast).filter(([claim = ""]) => !ofEvery.has(claim))];
  return Array.from({ length: limits.conditionProbes }, (_, at) => {
    const made: Maker = { ...maker, isClose: at % 2 === 0 };
    return { ...otherClaims(made, paths), ...registeredClaims(made) };
  });
}

/** The material of made-up values: the condition's literals are among it. */
interface Maker {
  random: Random;
  texts: readonly string[];
  numbers: readonly number[];
  /** Every other token has all claims that the condition names, with its texts as values: some exclude just those. */
  isClose: boolean;
}

function registeredClaims(maker: Maker): Claims {
  const { random, numbers } = maker;
  const any = issuedFrom + Math.floor(random.fraction() * (issuedTo - issuedFrom));
  const iat = pick(random, [any, any, ...numbers.filter((number) => number > issuedFrom)]);
  return {
    sub: text(maker),
    iss: `${pick(random, ["https", "http"])}://${text(maker)}`,
    aud: pick(random, [text(maker), texts(maker)]),
    iat,
    exp: iat + Math.max(1, number(maker)),
  };
}

function otherClaims(maker: Maker, paths: readonly ClaimPath[]): Claims {
  const claims: Claims = {};
  for (const path of paths)
    if (maker.isClose || maker.random.fraction() < 0.8) put(claims, path, maker);
  return claims;
}

/** Missing or other values on the path become objects. */
function put(claims: Claims, [step, ...rest]: ClaimPath, maker: Maker): void {
  if (step === undefined) return;
  if (rest.length === 0) {
    claims[step] ??= value(maker);
    return;
  }
  const below = claims[step];
  const inner = typeof below === "object" && !Array.isArray(below) ? (below as Claims) : {};
  claims[step] = inner;
  put(inner, rest, maker);
}

const pick = <T>(random: Random, from: readonly T[]): T =>
  from[Math.floor(random.fraction() * from.length)] as T;

/** Claims are texts, mostly. */
const value = (maker: Maker): unknown =>
  (maker.isClose && maker.random.fraction() < 0.8
    ? text
    : pick(maker.random, [text, text, texts, number, flag]))(maker);

const flag = ({ random }: Maker) => random.fraction() < 0.5;

const texts = (maker: Maker): string[] =>
  Array.from({ length: Math.floor(maker.random.fraction() * 4) }, () => text(maker));

/** The condition's numbers and their neighbours, and any. */
const number = ({ random, numbers }: Maker): number =>
  (pick(random, [...numbers, random.fraction() * 100_000]) + pick(random, [-1, 0, 1])) | 0;

/** A text of the condition, alone or as part of a longer one, or any; now and then a long one. */
function text({ random, texts: known, isClose }: Maker): string {
  if (known.length > 0 && isClose) return pick(random, known);
  const any = random.bytes(1 + Math.floor(random.fraction() * 12)).toString("hex");
  if (known.length === 0 || random.fraction() < 0.4)
    return random.fraction() < 0.1 ? any.repeat(100) : any;
  const one = pick(random, known);
  return pick(random, [one, one + any, any + one, any + one + any]);
}
