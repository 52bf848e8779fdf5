// Bodies of message requests for the tests of their rules, and how they are judged.
import assert from "node:assert/strict";
import { validateBody, type BodyFacts } from "../../server/messages/validate/body.ts";
import { simulatorModels } from "../../server/models/catalog/built-in.ts";
import type { Model } from "../../server/models/module.ts";

export const [large, medium, small] = simulatorModels as [Model, Model, Model];
export const classic = simulatorModels.find(({ id }) => id === "sim-classic") as Model;
export const declares = (...pass: string[]): Model => ({ ...large, pass });
export const lacks = (facts: Partial<Model>): Model => ({ ...large, ...facts });

export const question = { role: "user", content: "Where is the key?" };
export const base = { model: "sim-large", max_tokens: 2_000, messages: [question] };
export const tool = { name: "look", input_schema: { type: "object" } };
export const call = { type: "tool_use", id: "toolu_1", name: "look", input: {} };
export const result = { type: "tool_result", tool_use_id: "toolu_1", content: "under the mat" };
export const user = (...content: object[]) => ({ role: "user", content });
export const assistant = (...content: object[]) => ({ role: "assistant", content });
export const words = (text = "…", rest = {}) => ({ type: "text", text, ...rest });
export const image = { type: "image", source: { type: "url", url: "https://example.com/a.png" } };
export const pdf = { type: "document", source: { type: "file", file_id: "file_1" } };

type Facts = Partial<BodyFacts>;

export function taken(patch: object, facts: Facts = {}): void {
  const failure = validateBody({ ...base, ...patch }, { model: large, ...facts });
  assert.equal(failure?.message, undefined, JSON.stringify(patch).slice(0, 300));
}

export function refused(patch: object, message: string | RegExp, facts: Facts = {}): void {
  const failure = validateBody({ ...base, ...patch }, { model: large, ...facts });
  const said = failure?.message ?? assert.fail(`was taken: ${JSON.stringify(patch)}`);
  assert.equal(failure?.status, 400);
  if (typeof message === "string") assert.equal(said, message);
  else assert.match(said, message);
}

export const turns = (...messages: object[]) => ({ messages });
