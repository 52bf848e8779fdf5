// Saving what is filled in: as a prompt of its own, or as the next version of the one that was opened.
import { useState } from "react";
import { api } from "../../kit/server/api.ts";
import { inWorkspace } from "../../kit/server/workspace.ts";
import { openDialog } from "../../kit/dialog/open-dialog.ts";
import { TextField } from "../../kit/form/field.tsx";
import { Form, useForm } from "../../kit/form/form.tsx";
import { RadioCards } from "../../kit/form/field.tsx";
import type { MessageRequest } from "../../messages/conversation.ts";
import type { LoadedPrompt } from "../playground.ts";
import { forgetPrompts } from "./prompts.ts";

interface Saving {
  workspace: string | undefined;
  request: MessageRequest;
  /** What was opened or saved before. */
  prompt: LoadedPrompt | null;
  onSaved: (prompt: LoadedPrompt) => void;
}

export const savePrompt = (saving: Saving): void =>
  openDialog({
    title: "Save the prompt",
    description: "For all who send messages in this workspace. Keys and answers are not saved.",
    body: <SaveForm {...saving} />,
  });

type Way = "version" | "new";

function SaveForm({ workspace, request, prompt, onSaved }: Saving) {
  const [way, setWay] = useState<Way>(prompt === null ? "new" : "version");
  const headers = inWorkspace(workspace);
  const form = useForm({
    start: { name: "" },
    save: async ({ name }) => {
      // What was filled in is checked where it is run, not where it is kept.
      const body = { request: request as unknown as SavedRequest };
      if (way === "version" && prompt !== null) {
        const params = { prompt_id: prompt.id };
        const made = await api.prompts.versions.create({ params, body, headers });
        return { id: prompt.id, name: prompt.name, version: made.version };
      }
      const made = await api.prompts.create({ body: { name, ...body }, headers });
      return { id: made.prompt_id, name: name.trim(), version: made.version };
    },
    done: ({ name, version }) => `${name} is saved as version ${version}`,
    renew: forgetPrompts,
    next: onSaved,
  });
  return (
    <Form
      form={form}
      label="Save"
      isReady={(way === "version" && prompt !== null) || form.values.name.trim() !== ""}
    >
      {prompt !== null && (
        <RadioCards
          legend="Save it as"
          name="way"
          value={way}
          choices={[
            {
              value: "version",
              label: `The next version of ${prompt.name}`,
              hint: "Those before it stay as they are.",
            },
            { value: "new", label: "A new prompt", hint: "Under a name of its own." },
          ]}
          onChange={setWay}
        />
      )}
      {way === "new" && (
        <TextField label="Name" autoFocus maxLength={100} required {...form.field("name")} />
      )}
    </Form>
  );
}

type SavedRequest = Parameters<typeof api.prompts.create>[0]["body"]["request"];

export const renamePrompt = (
  workspace: string | undefined,
  prompt: { id: string; name: string },
): void =>
  openDialog({
    title: `Rename ${prompt.name}`,
    body: <RenameForm workspace={workspace} prompt={prompt} />,
  });

function RenameForm({
  workspace,
  prompt,
}: {
  workspace: string | undefined;
  prompt: { id: string; name: string };
}) {
  const form = useForm({
    start: { name: prompt.name },
    save: (body) =>
      api.prompts.rename({
        params: { prompt_id: prompt.id },
        body,
        headers: inWorkspace(workspace),
      }),
    done: ({ name }) => `It is called ${name} now`,
    renew: forgetPrompts,
  });
  return (
    <Form form={form} label="Rename" isReady={form.isDirty && form.values.name.trim() !== ""}>
      <TextField label="Name" autoFocus maxLength={100} required {...form.field("name")} />
    </Form>
  );
}
