// An MCP server with the tools, resources and prompts that the official conformance suite asks for by name.
import {
  fromJsonSchema,
  McpServer,
  MissingRequiredClientCapabilityError,
  ResourceTemplate,
  Server,
} from "@modelcontextprotocol/server";
import type { MakeServer } from "../../../server/mcp_endpoint/sessions/sessions.ts";
import { addAnswers, dot } from "./answers.ts";
import { addQuestions, codec } from "./questions.ts";

const schema = (properties: Record<string, { type: string }>) =>
  fromJsonSchema<Record<string, string>>({
    type: "object",
    properties,
    required: Object.keys(properties),
  });

const text = { type: "string" };
const said = (words: string) => ({
  role: "user" as const,
  content: { type: "text" as const, text: words },
});

/** The whole of it, or what answers a tool that a client cannot be served with. */
export const fixtureServer: MakeServer = ({ requestInfo }) =>
  requestInfo?.headers.get("mcp-name") === "test_missing_capability" ? unable() : fixtures();

/** The package's own server would make a result of the error. */
function unable(): Server {
  const server = new Server({ name: "fixtures", version: "1" }, { capabilities: { tools: {} } });
  server.setRequestHandler("tools/call", () => {
    throw new MissingRequiredClientCapabilityError({ requiredCapabilities: { sampling: {} } });
  });
  return server;
}

function fixtures(): McpServer {
  const server = new McpServer(
    { name: "fixtures", version: "1" },
    {
      capabilities: { completions: {}, logging: {}, resources: { subscribe: true } },
      requestState: { verify: codec.verify },
    },
  );
  addAnswers(server);
  addQuestions(server);
  addResources(server);
  addPrompts(server);
  // A server of the older revision is told which of its resources a client watches.
  const watched = new Set<string>();
  server.server.setRequestHandler("resources/subscribe", ({ params }) => {
    watched.add(params.uri);
    return {};
  });
  server.server.setRequestHandler("resources/unsubscribe", ({ params }) => {
    watched.delete(params.uri);
    return {};
  });
  return server;
}

function addResources(server: McpServer): void {
  const read = (uri: string, mimeType: string, content: { text: string } | { blob: string }) => ({
    contents: [{ uri, mimeType, ...content }],
  });
  server.registerResource(
    "text",
    "test://static-text",
    { description: "A text that stays", mimeType: "text/plain" },
    () =>
      read("test://static-text", "text/plain", {
        text: "This is the content of the static text resource.",
      }),
  );
  server.registerResource(
    "picture",
    "test://static-binary",
    { description: "A picture that stays", mimeType: "image/png" },
    () => read("test://static-binary", "image/png", { blob: dot }),
  );
  server.registerResource(
    "watched",
    "test://watched-resource",
    { description: "One that clients watch", mimeType: "text/plain" },
    () => read("test://watched-resource", "text/plain", { text: "Watched." }),
  );
  server.registerResource(
    "template",
    new ResourceTemplate("test://template/{id}/data", { list: undefined }),
    { description: "One for each id", mimeType: "application/json" },
    (uri, { id }) =>
      read(uri.href, "application/json", {
        text: JSON.stringify({ id, templateTest: true, data: `Data for ID: ${String(id)}` }),
      }),
  );
}

function addPrompts(server: McpServer): void {
  server.registerPrompt("test_simple_prompt", { description: "One message" }, () => ({
    messages: [said("This is a simple prompt for testing.")],
  }));
  server.registerPrompt(
    "test_prompt_with_arguments",
    { description: "One with two arguments", argsSchema: schema({ arg1: text, arg2: text }) },
    ({ arg1, arg2 }) => ({
      messages: [said(`Prompt with arguments: arg1='${arg1}', arg2='${arg2}'`)],
    }),
  );
  server.server.setRequestHandler("completion/complete", ({ params }) => {
    const values = ["paris", "park", "party"].filter((word) =>
      word.startsWith(params.argument.value),
    );
    return { completion: { values, total: values.length, hasMore: false } };
  });
  server.registerPrompt(
    "test_prompt_with_embedded_resource",
    { description: "One that holds a resource", argsSchema: schema({ resourceUri: text }) },
    ({ resourceUri = "" }) => ({
      messages: [
        {
          role: "user" as const,
          content: {
            type: "resource" as const,
            resource: {
              uri: resourceUri,
              mimeType: "text/plain",
              text: "Embedded resource content for testing.",
            },
          },
        },
        said("Please process the embedded resource above."),
      ],
    }),
  );
  server.registerPrompt("test_prompt_with_image", { description: "One with a picture" }, () => ({
    messages: [
      {
        role: "user" as const,
        content: { type: "image" as const, data: dot, mimeType: "image/png" },
      },
      said("Please analyze the image above."),
    ],
  }));
}
