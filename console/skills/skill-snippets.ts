// A first skill in code to paste. Every line must run as it stands.
import { keyLine, typescriptClient, type Snippet } from "../kit/value/snippets.ts";

const document = `---
name: house-style
description: How we write. Use it for letters.
---
Short sentences. No exclamation marks.`;

export const firstSkill = (url: string): Snippet[] => [
  {
    label: "curl",
    code: `${keyLine}

mkdir -p house-style
cat > house-style/SKILL.md <<'END'
${document}
END

curl ${url}/v1/skills \\
  -H "x-api-key: $PLINTH_API_KEY" \\
  -F "files[]=@house-style/SKILL.md;filename=house-style/SKILL.md"`,
  },
  {
    label: "TypeScript",
    code: `// npm install @anthropic-ai/sdk
import Anthropic, { toFile } from "@anthropic-ai/sdk";

${typescriptClient(url)}
const document = \`${document}\`;
const skill = await client.skills.create({
  files: [await toFile(Buffer.from(document), "house-style/SKILL.md")],
});
console.log(skill.id);`,
  },
];
