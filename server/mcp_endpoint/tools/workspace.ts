// Tools for the rest of a workspace: its models, its agents, its files.
import Type, { type Static } from "typebox";
import { closed } from "../../../kernel/http/route.ts";
import { limits } from "../limits.ts";
import { listed, pageQuery, paging, PageInput, said, type Page, type PlinthTool } from "./tool.ts";

const optional = Type.Optional;

const AskInput = closed({
  prompt: said("What the model is asked."),
  model: Type.String({ minLength: 1, maxLength: 255, description: "A model of this server." }),
  system: optional(Type.String({ description: "Instructions that stand before it." })),
  max_tokens: optional(
    Type.Integer({ minimum: 1, maximum: limits.answerTokensMax, description: "Of the answer." }),
  ),
});

interface Answer {
  content: { type: string; text?: string }[];
  model: string;
  stop_reason: string | null;
  usage: { input_tokens: number; output_tokens: number };
}

interface ModelInfo {
  id: string;
  display_name: string;
}

export const workspaceTools: readonly PlinthTool[] = [
  {
    name: "ask_model",
    title: "Ask a model",
    description:
      "One question to one model of this server, answered as a text. It costs what it costs by the API.",
    input: AskInput,
    call: async ({ api }, input: Static<typeof AskInput>) => {
      const { prompt, max_tokens = limits.answerTokensDefault, ...rest } = input;
      const body = { ...rest, max_tokens, messages: [{ role: "user", content: prompt }] };
      const { content, model, stop_reason, usage } = (await api("messages.create", {
        body,
      })) as Answer;
      const text = content.flatMap((block) => block.text ?? []).join("\n");
      const fields = { text, model, stop_reason, usage };
      if (stop_reason !== "refusal") return { text, fields };
      // An answer of nothing would tell the one that reads it nothing.
      const words = `The model ${model} declines to answer. ${text}`.trimEnd();
      return { text: words, fields, isError: true };
    },
  },
  {
    name: "list_models",
    title: "List models",
    description: "The models that ask_model may be given.",
    input: closed({}),
    isReading: true,
    call: async ({ api }) => {
      const query = { limit: limits.modelsMax };
      const { data } = (await api("models.list", { query })) as { data: ModelInfo[] };
      return listed({ data: data.map(({ id, display_name }) => ({ id, display_name })) });
    },
  },
  {
    name: "list_agents",
    title: "List agents",
    description: "The agents of the workspace, newest first, each at its newest version.",
    input: PageInput,
    isReading: true,
    call: async ({ api }, input: Static<typeof PageInput>) => {
      const page = (await api("agents.list", { query: pageQuery(input) })) as Page<Agent>;
      const data = page.data.map(({ id, name, description, version }) => ({
        id,
        name,
        description,
        version,
      }));
      return listed({ data, next_page: page.next_page });
    },
  },
  {
    name: "list_files",
    title: "List files",
    description: "The files of the workspace, newest first: ids, names, sizes.",
    input: closed({ limit: paging.limit, after_id: optional(Type.String({ maxLength: 100 })) }),
    isReading: true,
    call: async ({ api }, { limit = limits.pageItemsDefault, after_id }: FilesInput) => {
      const query = { limit, ...(after_id !== undefined && { after_id }) };
      return listed((await api("files.list", { query })) as Record<string, unknown>);
    },
  },
];

interface Agent {
  id: string;
  name: string;
  description: string | null;
  version: number;
}
interface FilesInput {
  limit?: number;
  after_id?: string;
}
