// Tools of the conformance suite that answer by themselves.
import { setTimeout as sleep } from "node:timers/promises";
import { fromJsonSchema, type CallToolResult, type McpServer } from "@modelcontextprotocol/server";

export const nothing = fromJsonSchema<Record<string, unknown>>({
  type: "object",
  properties: {},
});

/** A picture of one dot. */
export const dot =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==";

/** The shortest sound there is: a head, and no samples. */
const silence = Buffer.from(
  "52494646240000005741564566 6d742010000000010001 00401f0000401f000001000800646174610000 0000".replaceAll(
    " ",
    "",
  ),
  "hex",
).toString("base64");

export const words = (text: string): CallToolResult => ({ content: [{ type: "text", text }] });
const image = { type: "image" as const, data: dot, mimeType: "image/png" };
const resource = (uri: string, mimeType: string, text: string) => ({
  type: "resource" as const,
  resource: { uri, mimeType, text },
});

const answers: Record<string, CallToolResult> = {
  test_simple_text: words("This is a simple text response for testing."),
  test_image_content: { content: [image] },
  test_audio_content: { content: [{ type: "audio", data: silence, mimeType: "audio/wav" }] },
  test_embedded_resource: {
    content: [
      resource("test://embedded-resource", "text/plain", "This is an embedded resource content."),
    ],
  },
  test_multiple_content_types: {
    content: [
      { type: "text", text: "Multiple content types test:" },
      image,
      resource(
        "test://mixed-content-resource",
        "application/json",
        JSON.stringify({ test: "data", value: 123 }),
      ),
    ],
  },
};

export function addAnswers(server: McpServer): void {
  for (const [name, answer] of Object.entries(answers))
    server.registerTool(name, { description: name, inputSchema: nothing }, () => answer);
  server.registerTool("test_error_handling", { description: "Fails", inputSchema: nothing }, () => {
    throw new Error("This tool intentionally returns an error for testing");
  });
  addSlow(server);
  addSchemas(server);
}

function addSlow(server: McpServer): void {
  server.registerTool(
    "test_tool_with_progress",
    { description: "Says how far it is", inputSchema: nothing },
    async (_input, { mcpReq }) => {
      const progressToken = mcpReq._meta?.progressToken;
      for (const progress of [0, 50, 100]) {
        if (progressToken !== undefined)
          await mcpReq.notify({
            method: "notifications/progress",
            params: { progressToken, progress, total: 100 },
          });
        await sleep(50);
      }
      return words("All of it is done.");
    },
  );
  for (const name of ["test_tool_with_logging", "test_logging_tool"])
    server.registerTool(
      name,
      { description: "Says what it does", inputSchema: nothing },
      async (_input, { mcpReq }) => {
        for (const line of [
          "Tool execution started",
          "Tool processing data",
          "Tool execution completed",
        ]) {
          await mcpReq.log("info", line);
          await sleep(50);
        }
        return words("All was said.");
      },
    );
  server.registerTool(
    "test_reconnection",
    { description: "Closes the stream, and answers to one who comes back", inputSchema: nothing },
    async (_input, { http }) => {
      http?.closeSSE?.();
      await sleep(100);
      return words("You came back.");
    },
  );
}

/** No keyword of JSON Schema, but of MCP. */
const inHeader = (name: string) => ({ "x-mcp-header": name });

function addSchemas(server: McpServer): void {
  server.registerTool(
    "test_custom_header",
    {
      description: "Its region is in a header too",
      inputSchema: fromJsonSchema<{ region: string }>({
        type: "object",
        properties: { region: { type: "string", ...inHeader("Region") } },
        required: ["region"],
      }),
    },
    ({ region }) => words(region),
  );
  server.registerTool(
    "json_schema_2020_12_tool",
    {
      description: "Tool with JSON Schema 2020-12 features",
      inputSchema: fromJsonSchema<Record<string, unknown>>(JSON.parse(contact) as object),
    },
    () => words("It fits."),
  );
}

/** With keywords that only the newer drafts of JSON Schema have. */
const contact = `{
  "$schema": "https://json-schema.org/draft/2020-12/schema",
  "type": "object",
  "$defs": {
    "address": {
      "$anchor": "addressDef",
      "type": "object",
      "properties": { "street": { "type": "string" }, "city": { "type": "string" } }
    }
  },
  "properties": {
    "name": { "type": "string" },
    "address": { "$ref": "#/$defs/address" },
    "contactMethod": { "type": "string", "enum": ["phone", "email"] },
    "phone": { "type": "string" },
    "email": { "type": "string" }
  },
  "allOf": [{ "anyOf": [{ "required": ["phone"] }, { "required": ["email"] }] }],
  "if": { "properties": { "contactMethod": { "const": "phone" } }, "required": ["contactMethod"] },
  "then": { "required": ["phone"] },
  "else": { "required": ["email"] },
  "additionalProperties": false
}`;
