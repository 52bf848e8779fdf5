// Tools for the files of a workspace: one is made of what a model has, and one is deleted when a person says so.
import Type, { type Static } from "typebox";
import { invalid } from "../../../kernel/base/failure.ts";
import type { FormParts } from "../../../kernel/http/input/multipart.ts";
import { closed } from "../../../kernel/http/route.ts";
import { fileOf, type FileMetadata } from "../readable/contents.ts";
import { listed, type Call, type PlinthTool, type ToolAnswer } from "./tool.ts";

const UploadInput = closed({
  filename: Type.String({ minLength: 1, maxLength: 1_000, description: "Such as report.md." }),
  mime_type: Type.Optional(
    Type.String({ maxLength: 127, description: "What it is; found out where it is left out." }),
  ),
  text: Type.Optional(Type.String({ description: "All of it, as a text: this or data." })),
  data: Type.Optional(Type.String({ description: "All of it, in base64: this or text." })),
});
const DeleteInput = closed({
  file_id: Type.String({ minLength: 1, maxLength: 100, description: "The file's id, file_…" }),
});

function bytesOf({ text, data }: Static<typeof UploadInput>): Buffer {
  if ((text === undefined) === (data === undefined))
    throw invalid("text, data: give one of them, the content as a text or in base64.");
  if (text !== undefined) return Buffer.from(text);
  const plain = (data ?? "").replaceAll(/\s/g, "");
  const bytes = Buffer.from(plain, "base64");
  const unpadded = (base64: string) => base64.replace(/=+$/, "");
  if (unpadded(bytes.toString("base64")) === unpadded(plain)) return bytes;
  throw invalid("data: is no base64. Send all bytes of the file in base64, or its text as text.");
}

/** Which the client's person answers; there is nothing to fill in. */
const question = "delete";

const askFor = ({ id, filename, size_bytes }: FileMetadata): ToolAnswer => {
  const message = `Delete the file ${JSON.stringify(filename)} (${id}, ${size_bytes} bytes)? It cannot be brought back. Accept deletes it, decline keeps it.`;
  const params = { message, requestedSchema: { type: "object" as const, properties: {} } };
  const asked = { method: "elicitation/create" as const, params };
  return {
    text: message,
    asks: {
      // The names of the specification's table stand beside those of the packages.
      requests: { [question]: { ...asked, type: "elicitation", prompt: message } as typeof asked },
      turn: ofNoSession,
    },
  };
};

const ofNoSession = { session_id: "", sent_id: "" };

/** Rule MCE39. */
async function deleteAsked(
  { api, client, resumed }: Call,
  { file_id }: Static<typeof DeleteInput>,
): Promise<ToolAnswer> {
  const file = await fileOf(api, file_id);
  if (resumed === undefined && !client.form)
    return {
      text: `A person has to say yes to this, and this client can ask none. Delete ${file_id} by the API or in the console.`,
      isError: true,
    };
  if (resumed === undefined) return askFor(file);
  const { action } = (resumed.responses[question] ?? {}) as { action?: unknown };
  if (action !== "accept")
    return { text: `The file ${file_id} was kept: the person did not say yes.`, isError: true };
  await api("files.delete", { params: { file_id } });
  return { text: `Deleted the file ${file_id} (${file.filename}).`, fields: { id: file_id } };
}

export const fileTools: readonly PlinthTool[] = [
  {
    name: "upload_file",
    title: "Upload a file",
    description:
      "Makes a file of the workspace of a text or of base64, for messages and agents. What is larger than 3 MB is uploaded by the API.",
    input: UploadInput,
    call: async ({ api }, input: Static<typeof UploadInput>) => {
      const { filename, mime_type = "" } = input;
      const file = { field: "file", filename, type: mime_type, bytes: bytesOf(input) };
      const body: FormParts = { fields: {}, files: [file] };
      return listed((await api("files.upload", { body })) as object);
    },
  },
  {
    name: "delete_file",
    title: "Delete a file",
    description: "Deletes a file for good, after the person at the client has said yes.",
    input: DeleteInput,
    isDestructive: true,
    call: deleteAsked,
  },
];
