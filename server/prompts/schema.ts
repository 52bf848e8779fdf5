// Shapes of prompts.
import Type, { type Static } from "typebox";
import { cursorPage, cursorQuery } from "../../kernel/http/pages.ts";
import { closed } from "../../kernel/http/route.ts";

const Id = Type.String({ minLength: 1, maxLength: 100 });
const Name = Type.String({ minLength: 1 });
/** Judged when it is run, as every message request is. */
const SavedRequest = Type.Object(
  { model: Type.String({ minLength: 1, maxLength: 200 }), messages: Type.Array(Type.Object({})) },
  { description: "A message request, as of `POST /v1/messages`." },
);

export const CreatePrompt = closed({ name: Name, request: SavedRequest });
export type CreatePrompt = Static<typeof CreatePrompt>;
export const RenamePrompt = closed({ name: Name });
export type RenamePrompt = Static<typeof RenamePrompt>;
export const CreateVersion = closed({ request: SavedRequest });
export type CreateVersion = Static<typeof CreateVersion>;

export const PromptParams = closed({ prompt_id: Id });
export const VersionParams = closed({
  prompt_id: Id,
  version: Type.String({ minLength: 1, maxLength: 9 }),
});
export const PromptQuery = closed(cursorQuery);
export type PromptQuery = Static<typeof PromptQuery>;

const Person = Type.Union([Type.String(), Type.Null()]);

export const Prompt = Type.Object(
  {
    id: Type.String(),
    type: Type.Literal("prompt"),
    name: Type.String(),
    /** The newest one's number. */
    version: Type.Integer(),
    created_at: Type.String({ format: "date-time" }),
    updated_at: Type.String({ format: "date-time" }),
    /** Who saved the newest version. */
    updated_by: Person,
  },
  { $id: "Prompt" },
);
export type Prompt = Static<typeof Prompt>;
export const PromptPage = cursorPage(Prompt);

const versionFields = {
  type: Type.Literal("prompt_version"),
  prompt_id: Type.String(),
  version: Type.Integer(),
  model: Type.String(),
  created_at: Type.String({ format: "date-time" }),
  created_by: Person,
};
export const PromptVersion = Type.Object(
  { ...versionFields, request: SavedRequest },
  { $id: "PromptVersion" },
);
export type PromptVersion = Static<typeof PromptVersion>;
export const PromptVersionEntry = Type.Object(versionFields, { $id: "PromptVersionEntry" });
export const PromptVersionPage = cursorPage(PromptVersionEntry);

export const DeletedPrompt = Type.Object(
  { id: Type.String(), type: Type.Literal("prompt_deleted") },
  { $id: "DeletedPrompt" },
);
