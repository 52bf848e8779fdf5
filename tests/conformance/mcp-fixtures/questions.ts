// Tools and a prompt of the conformance suite that ask their client first.
import {
  CLIENT_CAPABILITIES_META_KEY,
  createRequestStateCodec,
  fromJsonSchema,
  inputRequired,
  type CallToolResult,
  type ClientCapabilities,
  type InputRequiredResult,
  type McpServer,
} from "@modelcontextprotocol/server";
import { nothing, words } from "./answers.ts";

type Answer = CallToolResult | InputRequiredResult | Promise<CallToolResult | InputRequiredResult>;

/** What came along with a call that is made again. */
interface Round {
  answers: Record<string, Record<string, unknown>>;
  state: State | undefined;
  capabilities: ClientCapabilities;
}

type Properties = Record<string, Record<string, unknown>>;
const form = (message: string, properties: Properties, required = Object.keys(properties)) =>
  inputRequired.elicit({
    message,
    requestedSchema: { type: "object", properties, required } as never,
  });
const sample = (prompt: string, maxTokens: number) =>
  inputRequired.createMessage({
    messages: [{ role: "user", content: { type: "text", text: prompt } }],
    maxTokens,
  });
const text = { type: "string" };
const userName = () => form("What is your name?", { name: text });

/** The state of a tool is signed, so that no client changes it. */
export const codec = createRequestStateCodec<State>({
  key: Buffer.alloc(32, "a key of these fixtures alone"),
});

interface State {
  round: number;
  name?: unknown;
}

const contentOf = (answer: Record<string, unknown> | undefined) =>
  (answer?.["content"] ?? {}) as Record<string, unknown>;

export function addQuestions(server: McpServer): void {
  const tool = (name: string, call: (round: Round) => Answer) =>
    server.registerTool(name, { description: name, inputSchema: nothing }, (_input, { mcpReq }) =>
      call({
        answers: (mcpReq.inputResponses ?? {}) as Round["answers"],
        state: mcpReq.requestState<State>(),
        capabilities:
          capabilitiesOf(mcpReq.envelope) ?? server.server.getClientCapabilities() ?? {},
      }),
    );
  addSingle(tool);
  addStates(tool);
  addForms(server, tool);
  server.registerPrompt(
    "test_input_required_result_prompt",
    { description: "Asks for its context" },
    ({ mcpReq }: { mcpReq: { inputResponses?: Record<string, unknown> } }) => {
      const answer = mcpReq.inputResponses?.["user_context"] as Record<string, unknown> | undefined;
      if (answer === undefined)
        return inputRequired({
          inputRequests: {
            user_context: form("What context should the prompt use?", { context: text }),
          },
        });
      const context = String(contentOf(answer)["context"]);
      return { messages: [{ role: "user", content: { type: "text", text: context } }] };
    },
  );
}

const capabilitiesOf = (envelope: object | undefined) =>
  (envelope as Record<string, ClientCapabilities> | undefined)?.[CLIENT_CAPABILITIES_META_KEY];

type AddTool = (name: string, call: (round: Round) => Answer) => void;

function addSingle(tool: AddTool): void {
  tool("test_input_required_result_elicitation", ({ answers: { user_name: answer } }) => {
    const { name } = contentOf(answer);
    if (typeof name !== "string")
      return inputRequired({ inputRequests: { user_name: userName() } });
    return words(`Hello, ${name}!`);
  });
  tool("test_input_required_result_sampling", ({ answers: { capital_question: answer } }) => {
    if (answer !== undefined) return words(JSON.stringify(answer["content"]));
    return inputRequired({
      inputRequests: { capital_question: sample("What is the capital of France?", 100) },
    });
  });
  tool("test_input_required_result_list_roots", ({ answers: { client_roots: answer } }) =>
    answer === undefined
      ? inputRequired({ inputRequests: { client_roots: inputRequired.listRoots() } })
      : words(JSON.stringify(answer["roots"])),
  );
  tool("test_input_required_result_capabilities", ({ answers, capabilities }) => {
    if (Object.keys(answers).length > 0) return words("Answered.");
    return inputRequired({
      inputRequests: {
        ...(capabilities.elicitation !== undefined && { user_name: userName() }),
        ...(capabilities.sampling !== undefined && { greeting: sample("Generate a greeting", 50) }),
      },
    });
  });
  tool("test_streaming_elicitation", ({ answers: { user_name: answer } }) =>
    answer === undefined
      ? inputRequired({ inputRequests: { user_name: userName() } })
      : words("Answered."),
  );
}

function addStates(tool: AddTool): void {
  const confirm = () => form("Please confirm", { ok: { type: "boolean" } });
  for (const name of ["request_state", "tampered_state"])
    tool(`test_input_required_result_${name}`, async ({ state }) => {
      if (state === undefined)
        return inputRequired({
          inputRequests: { confirm: confirm() },
          requestState: await codec.mint({ round: 1 }),
        });
      return words("state-ok");
    });
  tool("test_input_required_result_multiple_inputs", async ({ answers, state }) => {
    if (state !== undefined && Object.keys(answers).length >= 3) {
      return words("All three are answered.");
    }
    return inputRequired({
      inputRequests: {
        user_name: userName(),
        greeting: sample("Generate a greeting", 50),
        client_roots: inputRequired.listRoots(),
      },
      requestState: await codec.mint({ round: 1 }),
    });
  });
  tool("test_input_required_result_multi_round", async ({ answers, state }) => {
    const { name, round } = state ?? { round: 0 };
    if (round === 0)
      return inputRequired({
        inputRequests: { step1: form("Step 1: What is your name?", { name: text }) },
        requestState: await codec.mint({ round: 1 }),
      });
    if (round === 1)
      return inputRequired({
        inputRequests: { step2: form("Step 2: What is your favorite color?", { color: text }) },
        requestState: await codec.mint({ round: 2, name: contentOf(answers["step1"])["name"] }),
      });
    return words(`${String(name)} likes ${String(contentOf(answers["step2"])["color"])}.`);
  });
}

/** As the older revision asks: in the midst of the call. */
function addForms(server: McpServer, tool: AddTool): void {
  const asked = (given: Round["answers"][string] | undefined, said: string) =>
    words(
      `${said}: action=${String(given?.["action"])}, content=${JSON.stringify(given?.["content"] ?? {})}`,
    );
  const strings = (...names: string[]) =>
    fromJsonSchema<Record<string, string>>({
      type: "object",
      properties: Object.fromEntries(names.map((name) => [name, { type: "string" }])),
      required: names,
    });
  server.registerTool(
    "test_sampling",
    { description: "Asks the client's model", inputSchema: strings("prompt") },
    ({ prompt = "" }, { mcpReq }) => {
      const answer = mcpReq.inputResponses?.["model"] as { content: { text: string } } | undefined;
      if (answer === undefined)
        return inputRequired({ inputRequests: { model: sample(prompt, 100) } });
      return words(`LLM response: ${answer.content.text}`);
    },
  );
  server.registerTool(
    "test_elicitation",
    { description: "Asks the client's person", inputSchema: strings("message") },
    ({ message = "" }, { mcpReq }) => {
      const answer = mcpReq.inputResponses?.["person"] as Record<string, unknown> | undefined;
      if (answer !== undefined) return asked(answer, "User response");
      const fields = {
        username: { ...text, description: "User's response" },
        email: { ...text, description: "User's email address" },
      };
      return inputRequired({ inputRequests: { person: form(message, fields) } });
    },
  );
  const forms = { defaults: withDefaults, enums: withChoices };
  for (const [name, fields] of Object.entries(forms)) {
    const number = name === "defaults" ? "sep1034" : "sep1330";
    tool(`test_elicitation_${number}_${name}`, ({ answers: { all } }) =>
      all === undefined
        ? inputRequired({ inputRequests: { all: form("Please look at all of it.", fields, []) } })
        : asked(all, "Elicitation completed"),
    );
  }
}

const withDefaults: Properties = {
  name: { type: "string", default: "John Doe" },
  age: { type: "integer", default: 30 },
  score: { type: "number", default: 95.5 },
  status: { type: "string", enum: ["active", "inactive", "pending"], default: "active" },
  verified: { type: "boolean", default: true },
};

const titled = (values: string[]) =>
  values.map((value) => ({ const: value, title: `The ${value}` }));
const options = ["option1", "option2", "option3"];
const withChoices: Properties = {
  untitledSingle: { type: "string", enum: options },
  titledSingle: { type: "string", oneOf: titled(["value1", "value2", "value3"]) },
  legacyEnum: {
    type: "string",
    enum: ["opt1", "opt2", "opt3"],
    enumNames: ["Option One", "Option Two", "Option Three"],
  },
  untitledMulti: { type: "array", items: { type: "string", enum: options } },
  titledMulti: { type: "array", items: { anyOf: titled(["value1", "value2", "value3"]) } },
};
