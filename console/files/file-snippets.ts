// Files in code to paste: a first upload, and a message that names a file. Every line must run as it stands.
import { keyLine, typescriptClient, type Snippet } from "../kit/value/snippets.ts";

const python = (url: string) => `client = Anthropic(
    base_url="${url}",
    api_key=os.environ["PLINTH_API_KEY"],
)`;

const note = "The meeting is on Thursday.";

export const firstUpload = (url: string): Snippet[] => [
  {
    label: "CLI",
    code: `${keyLine}

echo "${note}" > note.txt
./plinth files upload note.txt --url ${url}`,
  },
  {
    label: "curl",
    code: `${keyLine}

echo "${note}" > note.txt
curl ${url}/v1/files \\
  -H "x-api-key: $PLINTH_API_KEY" \\
  -F file=@note.txt`,
  },
  {
    label: "TypeScript",
    code: `// npm install @anthropic-ai/sdk
import Anthropic, { toFile } from "@anthropic-ai/sdk";

${typescriptClient(url)}
const file = await client.files.upload({
  file: await toFile(Buffer.from("${note}"), "note.txt"),
});
console.log(file.id);`,
  },
  {
    label: "Python",
    code: `# pip install anthropic
import os
from anthropic import Anthropic

${python(url)}
file = client.files.upload(file=("note.txt", b"${note}"))
print(file.id)`,
  },
];

type Block = "image" | "document";

const questions: Record<Block, string> = {
  image: "What is in this picture?",
  document: "What does it say?",
};

export const messageWith = (url: string, id: string, block: Block): Snippet[] => [
  {
    label: "curl",
    code: `${keyLine}

curl ${url}/v1/messages \\
  -H "x-api-key: $PLINTH_API_KEY" \\
  -H "content-type: application/json" \\
  -d '{
    "model": "sim-large",
    "max_tokens": 256,
    "messages": [
      {
        "role": "user",
        "content": [
          { "type": "${block}", "source": { "type": "file", "file_id": "${id}" } },
          { "type": "text", "text": "${questions[block]}" }
        ]
      }
    ]
  }'`,
  },
  {
    label: "TypeScript",
    code: `// npm install @anthropic-ai/sdk
import Anthropic from "@anthropic-ai/sdk";

${typescriptClient(url)}
const message = await client.messages.create({
  model: "sim-large",
  max_tokens: 256,
  messages: [
    {
      role: "user",
      content: [
        { type: "${block}", source: { type: "file", file_id: "${id}" } },
        { type: "text", text: "${questions[block]}" },
      ],
    },
  ],
});
console.log(message.content);`,
  },
  {
    label: "Python",
    code: `# pip install anthropic
import os
from anthropic import Anthropic

${python(url)}
message = client.messages.create(
    model="sim-large",
    max_tokens=256,
    messages=[
        {
            "role": "user",
            "content": [
                {"type": "${block}", "source": {"type": "file", "file_id": "${id}"}},
                {"type": "text", "text": "${questions[block]}"},
            ],
        }
    ],
)
print(message.content)`,
  },
];
