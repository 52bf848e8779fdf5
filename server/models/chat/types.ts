// What the parts of the translation into chat completions share: names of fields, and how a field is refused.

export interface ChatFieldNames {
  /** What the upstream calls the limit of its answer: the older name, or OpenAI's newer one. */
  maxTokensField: "max_tokens" | "max_completion_tokens";
  /** Where an assistant's earlier reasoning stands, in the turns of a tool loop. */
  reasoningField: "reasoning_content" | "reasoning";
}

/** Throws the 400 of a field that has no words there. */
export type RefuseField = (path: string, why?: string) => never;
