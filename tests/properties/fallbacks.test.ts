// Fallbacks on bodies that nobody thought of: merging, echo, prefixes, tokens and repricing.
import assert from "node:assert/strict";
import { before, test } from "node:test";
import fc from "fast-check";
import { parseExactly } from "../../kernel/base/exact-json.ts";
import { Failure } from "../../kernel/base/failure.ts";
import {
  checkEcho,
  cleanHistory,
  mint,
  planHops,
  stickyPrefixesOf,
  redeem,
  reprice,
  skeletonOf,
  type HopPlan,
} from "../../server/fallbacks/module.ts";
import type { Block, MessageBody, Turn } from "../../server/models/module.ts";
import {
  assistant,
  boundary,
  catalog,
  credit07,
  large,
  makeCaller,
  medium,
  now06,
  now07,
  request,
  text,
  thinking,
  user,
  validateFor,
} from "../rules/fallbacks-models.ts";

const thinkings = fc.constantFrom(
  { type: "adaptive" },
  { type: "disabled" },
  { type: "between_tools" },
);
const outputConfigs = fc.record(
  {
    effort: fc.constantFrom("low", "high", "xhigh", "max"),
    format: fc.constant({ type: "json_schema" }),
    task_budget: fc.constant({ type: "tokens", total: 9 }),
  },
  { requiredKeys: [] },
);
const shaping = {
  max_tokens: fc.integer({ min: 1, max: 12_000 }),
  thinking: thinkings,
  output_config: outputConfigs,
  speed: fc.constantFrom("standard", "fast"),
};
const orNull = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: null });
const entries = fc.record(
  {
    model: fc.constantFrom("medium", "small", "classic"),
    max_tokens: orNull(shaping.max_tokens),
    thinking: orNull(thinkings),
    output_config: orNull(outputConfigs),
    speed: orNull(shaping.speed),
  },
  { requiredKeys: ["model"] },
);
const bodies = fc.record(shaping, { requiredKeys: ["max_tokens"] });

test("merging a hop again changes nothing, and what it inherits its model takes", () => {
  fc.assert(
    fc.property(bodies, entries, fc.boolean(), (fields, entry, is07) => {
      const merge = (body: MessageBody): HopPlan | undefined => {
        try {
          const betas = is07 ? now07 : now06;
          const input = { betas, model: large, catalog, validateFor } as const;
          return planHops({
            ...input,
            organizationType: "platform",
            body: { ...body, model: "large", fallbacks: [entry] },
          });
        } catch (error) {
          assert.ok(error instanceof Failure, String(error));
          return undefined;
        }
      };
      const once = merge(request(fields))?.hops[1];
      // With nothing of its own to complain about, an entry under 07-01 is never refused.
      if (Object.keys(entry).length === 1 && is07) assert.ok(once);
      if (once !== undefined) assert.deepEqual(merge(once.body)?.hops[1]?.body, once.body);
    }),
    { numRuns: 500 },
  );
});

const words = fc.constantFrom("a", "b", " ", "é\n", "x");
const marks = fc.integer({ min: 0, max: 1_000 }).map(String);
const blocks: fc.Arbitrary<Block> = fc.oneof(
  words.map(text),
  marks.map((mark): Block => thinking(mark)),
  marks.map((mark): Block => ({ type: "tool_use", id: `t${mark}`, name: "n", input: {} })),
  marks.map((mark): Block => ({ type: "server_tool_use", id: `s${mark}`, name: "n", input: {} })),
  fc.constant<Block>(boundary()),
);
const answers = fc.array(blocks, { minLength: 1, maxLength: 8 });
const conversations = fc.array(fc.tuple(words, answers), { maxLength: 4 }).map((turns): Turn[] =>
  turns.flatMap(([said, answer]) => {
    const calls = answer.filter(({ type }) => type === "tool_use");
    const results = calls.map(({ id }) => ({ type: "tool_result", tool_use_id: id }));
    return [user(said), assistant(answer), user([text(said), ...results])];
  }),
);

test("a cleaned history is clean: once is enough, and no result lacks its call", () => {
  fc.assert(
    fc.property(conversations, (messages) => {
      const cleaned = cleanHistory(messages);
      assert.deepEqual(cleanHistory(cleaned), cleaned);
      const all = cleaned.flatMap(({ content }) => (typeof content === "string" ? [] : content));
      assert.ok(all.every(({ type }) => type !== "fallback"));
      const called = new Set(all.filter(({ type }) => type === "tool_use").map(({ id }) => id));
      for (const block of all)
        if (block.type === "tool_result") assert.ok(called.has(block["tool_use_id"]));
      const textsOf = (turns: readonly Turn[]) =>
        turns.flatMap(({ content }) =>
          typeof content === "string" ? [content] : content.flatMap((block) => block["text"] ?? []),
        );
      assert.deepEqual(textsOf(cleaned), textsOf(messages));
    }),
    { numRuns: 500 },
  );
});

test("an answer fits its skeleton, also without thinking; with any boundary moved it does not", () => {
  fc.assert(
    fc.property(answers, fc.nat(), (answer, pick) => {
      const skeleton = skeletonOf(answer, "end_turn");
      const check = (content: Block[]) =>
        checkEcho([assistant(content)], 0, [skeleton], { strict: true });
      assert.equal(check(answer), undefined);
      assert.equal(check(answer.filter(({ type }) => type !== "thinking")), undefined);
      const seams = answer.flatMap(({ type }, at) => (type === "fallback" ? [at] : []));
      const seam = seams[pick % Math.max(1, seams.length)];
      if (seam === undefined) return;
      assert.ok(check(answer.toSpliced(seam, 1)), "dropped");
      const next = answer[seam + 1];
      if (next === undefined || next.type === "fallback") return;
      assert.ok(check(answer.toSpliced(seam, 2, next, boundary())), "moved");
    }),
    { numRuns: 1_000 },
  );
});

test("a longer conversation has all prefixes of the shorter one", () => {
  fc.assert(
    fc.property(conversations, words, (messages, more) => {
      const keys = (turns: Turn[]) =>
        stickyPrefixesOf("org_1", "large", request({ messages: turns })).map(({ key }) => key);
      const short = keys(messages);
      const long = keys([...messages, assistant(more), user(more)]);
      assert.deepEqual(long.slice(0, short.length), short);
      assert.equal(long.length, short.length + 1);
      assert.equal(new Set(long).size, long.length);
    }),
  );
});

let caller: Awaited<ReturnType<typeof makeCaller>>;
before(async () => {
  caller = await makeCaller();
});

const mint_ = (body: MessageBody, partial: Block[] = []) =>
  mint({ context: caller, body, betas: credit07, model: large, partial, cacheBreakpoints: [] })
    ?.token ?? "";

function outcomeOf(token: string, body: MessageBody): string {
  const param = { token, mode: "best_effort" };
  const outcome = redeem({
    context: caller,
    body: { ...body, fallback_credit_token: param },
    betas: credit07,
    model: medium,
    catalog,
  });
  if (outcome instanceof Failure) return "failure";
  return outcome?.status === "not_applied" ? outcome.reason : (outcome?.status ?? "no token");
}

const json = fc.jsonValue({ maxDepth: 2 });
const mustMatch = {
  system: fc.string(),
  messages: fc.array(words.map(user), { minLength: 1, maxLength: 3 }),
  tools: fc.array(fc.dictionary(words, json), { maxLength: 2 }),
  tool_choice: fc.constantFrom({ type: "auto" }, { type: "none" }),
  thinking: thinkings,
  cache_control: fc.dictionary(words, json),
  output_config: outputConfigs,
  mcp_servers: fc.array(json),
  context_management: fc.dictionary(words, json),
  container: fc.string(),
};
const mayChange = {
  max_tokens: fc.nat(),
  stop_sequences: fc.array(fc.string()),
  temperature: fc.double(),
  top_p: fc.double(),
  top_k: fc.nat(),
  stream: fc.boolean(),
  metadata: fc.dictionary(words, json),
  service_tier: fc.string(),
  speed: fc.string(),
};
const sentBodies = fc
  .record({ ...mustMatch, ...mayChange })
  .map((fields) => request(fields as unknown as Partial<MessageBody>));

/** Compared as our own digests do not: by the words of JSON, with what the rules call equal made equal. */
const isSame = (a: unknown, b: unknown) => {
  const plain = (value: unknown) => JSON.stringify(value).replace("between_tools", "disabled");
  try {
    assert.deepEqual(parseExactly(plain(a)), parseExactly(plain(b)));
    return true;
  } catch {
    return false;
  }
};

test("a field that may change redeems, one that must match does not", () => {
  const fields = Object.keys(mustMatch) as (keyof typeof mustMatch)[];
  fc.assert(
    fc.property(sentBodies, sentBodies, fc.constantFrom(...fields), (sent, other, field) => {
      const token = mint_(sent);
      const free = Object.keys(mayChange).map((name) => [name, other[name]]);
      const changed = { ...sent, ...(Object.fromEntries(free) as object) };
      assert.equal(outcomeOf(token, changed), "redeemed");
      const { [field]: _, ...without } = changed;
      if (field !== "messages")
        assert.equal(outcomeOf(token, without as MessageBody), "body_mismatch");
      if (isSame(sent[field], other[field])) return;
      const reason = outcomeOf(token, { ...changed, [field]: other[field] });
      assert.equal(reason, "body_mismatch", `${field} was changed`);
    }),
    { numRuns: 500 },
  );
});

test("a continuation redeems with any space behind it, and never with another letter", () => {
  const space = fc.string({ unit: fc.constantFrom(" ", "\n", "\t", "\u00a0"), maxLength: 5 });
  fc.assert(
    fc.property(fc.string({ minLength: 1 }), space, space, (said, before, behind) => {
      if (said.trim() !== said || said === "") return;
      const body = request();
      const token = mint_(body, [text(said + before)]);
      const appended = (words: string) => ({
        ...body,
        messages: [...body.messages, assistant([text(words)])],
      });
      assert.equal(outcomeOf(token, appended(said + behind)), "redeemed");
      assert.equal(outcomeOf(token, appended(`${said}x`)), "body_mismatch");
    }),
  );
});

test("no changed character of a token opens it", () => {
  const token = mint_(request());
  const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.";
  const letters = fc.constantFrom(...alphabet.split(""));
  fc.assert(
    fc.property(fc.nat({ max: token.length - 1 }), letters, (at, letter) => {
      if (token[at] === letter) return;
      const flipped = token.slice(0, at) + letter + token.slice(at + 1);
      assert.equal(outcomeOf(flipped, request()), "failure");
    }),
    { numRuns: 2_000 },
  );
  assert.equal(outcomeOf(token, request()), "redeemed");
});

test("repricing moves tokens and makes none", () => {
  const tokens = fc.nat({ max: 1_000 });
  const counts = fc.record({
    input: tokens,
    output: tokens,
    cacheWrite5m: tokens,
    cacheWrite1h: tokens,
    cacheRead: tokens,
  });
  const sum = (of: { cacheWrite5m: number; cacheWrite1h: number; cacheRead: number }) =>
    of.cacheWrite5m + of.cacheWrite1h + of.cacheRead;
  fc.assert(
    fc.property(counts, fc.array(tokens), (before, warm) => {
      const points = warm.map((count) => ({ hash: "a", ttl: "5m" as const, tokens: count }));
      const whole = { tokens: sum(before) + before.input, lastBreakpointHash: undefined };
      const after = reprice(before, points, whole);
      assert.equal(sum(after), sum(before));
      assert.ok(Math.min(...Object.values(after)) >= 0);
      assert.ok(after.cacheRead >= before.cacheRead);
      assert.ok(after.cacheRead <= Math.max(before.cacheRead, ...warm));
      assert.deepEqual(reprice(after, points, whole), after);
    }),
  );
});
