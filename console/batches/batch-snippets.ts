// The first batch of a newcomer, as code to paste: to a model that is always there. Every line must run as it stands.
import { keyLine, typescriptClient, type Snippet } from "../kit/value/snippets.ts";

const requests = [
  ["hello", "Say hello in French."],
  ["goodbye", "Say goodbye in French."],
].map(([custom_id, content]) => ({
  custom_id,
  params: { model: "sim-small", max_tokens: 100, messages: [{ role: "user", content }] },
}));

/** A file of two requests. */
export const exampleLines = requests.map((request) => JSON.stringify(request)).join("\n");

const indented = (text: string, by: string) => text.replaceAll("\n", `\n${by}`);

export const firstBatch = (url: string): Snippet[] => [
  {
    label: "CLI",
    code: `${keyLine}

cat > requests.jsonl <<'END'
${exampleLines}
END
./plinth batch submit requests.jsonl --url ${url}`,
  },
  {
    label: "curl",
    code: `${keyLine}

curl ${url}/v1/messages/batches \\
  -H "x-api-key: $PLINTH_API_KEY" \\
  -H "content-type: application/json" \\
  -d '${indented(JSON.stringify({ requests }, null, 2), "  ")}'`,
  },
  {
    label: "TypeScript",
    code: `// npm install @anthropic-ai/sdk
import Anthropic from "@anthropic-ai/sdk";

${typescriptClient(url)}
const questions = { hello: "Say hello in French.", goodbye: "Say goodbye in French." };
const batch = await client.messages.batches.create({
  requests: Object.entries(questions).map(([custom_id, content]) => ({
    custom_id,
    params: {
      model: "sim-small",
      max_tokens: 100,
      messages: [{ role: "user" as const, content }],
    },
  })),
});
console.log(batch.id);`,
  },
  {
    label: "Python",
    code: `# pip install anthropic
import os
from anthropic import Anthropic

client = Anthropic(
    base_url="${url}",
    api_key=os.environ["PLINTH_API_KEY"],
)
questions = {"hello": "Say hello in French.", "goodbye": "Say goodbye in French."}
batch = client.messages.batches.create(
    requests=[
        {
            "custom_id": custom_id,
            "params": {
                "model": "sim-small",
                "max_tokens": 100,
                "messages": [{"role": "user", "content": content}],
            },
        }
        for custom_id, content in questions.items()
    ]
)
print(batch.id)`,
  },
];
