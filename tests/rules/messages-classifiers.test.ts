// Refusals of this server: patterns over what is asked and what is answered, and a model that is asked first.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { lastUserText, outputClassifier } from "../../server/messages/run/classify.ts";
import type { MessageBody } from "../../server/models/module.ts";
import { openHouse, type Answer, type House } from "../house.ts";
import { lacks } from "./messages-bodies.ts";
import { cpuMsOf, sentenceOf } from "./support.ts";

let house: House;
before(async () => {
  const rules = [
    { category: "cyber", on: "input", pattern: "keylogger", explanation: "Not written here." },
    { category: "bio", on: "output", pattern: "anthrax" },
  ];
  const upstream = "simulator";
  const models = [
    { id: "ruled", upstream, classifiers: rules, documents: true },
    { id: "guarded", upstream, guard: "sim-medium" },
  ];
  house = await openHouse({ sections: { models: { models, upstreams: {} } } });
});
after(() => house[Symbol.asyncDispose]());

type Content = string | object[];
const user = (content: Content) => ({ role: "user", content });

const post = (model: string, messages: object[], fields: object = {}): Promise<Answer> =>
  house.ask("POST", "/v1/messages", {
    key: house.organizations.platform.api_key,
    body: { model, max_tokens: 60, messages, ...fields },
  });

test("[MSG35] rules over the input read all that the user says last", async () => {
  const source = { type: "text", media_type: "text/plain", data: "a keylogger" };
  const call = { type: "tool_use", id: "t", name: "look", input: {} };
  const result = { type: "tool_result", tool_use_id: "t" };
  const assistant = (content: Content) => ({ role: "assistant", content });
  const words = { type: "text", text: "Well?" };
  const redacted = { type: "redacted_thinking", data: "abc" };
  const thoughts = ["", "Zm9v"].map((signature) => [
    { type: "thinking", thinking: "x", signature },
    { type: "text", text: " " },
    redacted,
  ]);
  const hit = { type: "search_result", source: "s", title: "A Keylogger", content: [words] };
  const refused: object[][] = [
    [user("Write a KeyLogger.")],
    [user("Write a keylogger."), user("Please.")],
    [user("Write a keylogger."), { role: "system", content: "Be brief." }, user("Please.")],
    ...thoughts.map((thought) => [user("Write a keylogger."), assistant(thought), user("Please.")]),
    [user([{ type: "document", source }, words])],
    [
      user([
        {
          type: "document",
          source: { type: "content", content: [{ ...words, text: "keylogger" }] },
        },
      ]),
    ],
    [user([{ type: "document", title: "keylogger", source: { ...source, data: "-" } }])],
    [user([hit])],
    [
      user("x"),
      assistant([call]),
      user([{ ...result, content: [{ ...words, text: "keylogger" }] }]),
    ],
    [user("x"), assistant([call]), user([{ ...result, content: [{ type: "document", source }] }])],
  ];
  for (const messages of refused) {
    const { status, body } = await post("ruled", messages);
    assert.equal(status, 200, JSON.stringify(body));
    assert.equal(body.stop_reason, "refusal", JSON.stringify(messages));
    const { category, explanation } = body.stop_details;
    assert.deepEqual([category, explanation, body.content], ["cyber", "Not written here.", []]);
  }
  const taken: [object[], object?][] = [
    [[user("Write a keylogger."), assistant("No."), user("A poem, then.")]],
    [[user("Hello.")], { system: "Never write a keylogger." }],
  ];
  for (const [messages, fields] of taken) {
    const { body } = await post("ruled", messages, fields);
    assert.notEqual(body.stop_reason, "refusal", JSON.stringify(messages));
  }
});

test("[MSG35] whatever is the assistant's thinking ends no turn of the user", () => {
  const said = (content: Content) =>
    lastUserText({
      model: "ruled",
      max_tokens: 1,
      messages: [user("one"), { role: "assistant", content }, user("two")],
    } as MessageBody);
  for (const type of ["thinking", "redacted_thinking", "connector_text", "fallback"])
    assert.equal(said([{ type }]), "one\ntwo", type);
  for (const words of ["", " ", [], [{ type: "text", text: "\n" }]])
    assert.equal(said(words), "one\ntwo");
  assert.equal(said([{ type: "thinking" }, { type: "text", text: "So." }]), "two");
  assert.equal(said([{ type: "tool_use" }]), "two");
});

test("[MSG53] rules over the output end the answer where it broke them", async () => {
  const ask = [user('[[say "Some white anthrax powder"]]')];
  const { body } = await post("ruled", ask);
  assert.deepEqual([body.stop_reason, body.stop_details.category], ["refusal", "bio"]);
  assert.deepEqual(body.content, []);
  const { body: streamed } = await post("ruled", ask, { stream: true });
  const text = String(streamed);
  const said = [...text.matchAll(/"text_delta","text":"([^"]*)"/g)].map(([, words]) => words);
  assert.equal(said.join(""), "Some white anthr".slice(0, said.join("").length));
  assert.doesNotMatch(said.join(""), /anthrax/);
  assert.match(text, /"stop_reason":"refusal".*"category":"bio"/);
});

test("[MSG53] a long answer is read in its last part only, and its beginning stays its beginning", () => {
  const rule = (pattern: string) => ({ category: null, on: "output" as const, pattern });
  const read = (pattern: string, pieces: readonly string[]) => {
    const classify = outputClassifier(lacks({ classifiers: [rule(pattern)] }));
    const found = pieces.findIndex((piece) => classify?.(piece) !== undefined);
    return found === -1 ? undefined : found;
  };
  const long = Array.from({ length: 5_000 }, () => "word ");
  assert.equal(read("^word", long), 0);
  assert.equal(read("^ord", long), undefined);
  assert.equal(read("^word 😀", [...long, "😀"]), undefined);
  assert.equal(read("white powder", [...long, "whi", "te ", "pow", "der"]), 5_003);
  assert.equal(
    read("a.{4000}b", [...long, "a", ...Array.from({ length: 4_000 }, () => "x"), "b"]),
    9_001,
  );
  assert.equal(read("a.*b", ["a", ...long, "b"]), undefined);
  assert.equal(read("a.*b", [["a", ...long, "b"].join("")]), 0);
  const words = Array.from({ length: 60_000 }, () => "word");
  const tookMs = cpuMsOf(() => read("anthrax", words));
  assert.ok(tookMs < 4_000, "it reads everything again and again");
});

test("[MSG50] [MSG51] a guard is asked first, and is not passed by", async () => {
  const { body: taken } = await post("guarded", [user("Hello.")]);
  assert.equal(taken.stop_reason, "end_turn");
  for (const [told, category] of [
    ['[[say "refuse: bio"]]', "bio"],
    ['[[say " Refuse."]]', null],
    ["[[refuse category=cyber models=sim-medium]]", "cyber"],
  ] as const) {
    const { body } = await post("guarded", [user(`${told} first`), user("and more")]);
    assert.deepEqual([body.stop_reason, body.stop_details.category], ["refusal", category]);
    assert.equal(body.usage.output_tokens, 0);
  }
  assert.match(sentenceOf(await post("guarded", [user("[[fail status=529]]")]), 529), /status 529/);
});
