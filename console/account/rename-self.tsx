// The person's own name.
import { TextField } from "../kit/form/field.tsx";
import { Form, useForm } from "../kit/form/form.tsx";
import { api } from "../kit/server/api.ts";

export function RenameSelf({ name: present }: { name: string }) {
  const form = useForm({
    start: { name: present },
    save: ({ name }) => api.rename({ body: { name: name.trim() } }),
    done: ({ name }) => `You are called ${name} now`,
    next: ({ name }) => form.set({ name }),
  });
  const typed = form.values.name.trim();
  return (
    <Form
      form={form}
      label="Change name"
      look="plain"
      inPage
      isReady={typed !== "" && typed !== present}
    >
      <TextField
        label="Your name"
        autoComplete="name"
        required
        maxLength={200}
        {...form.field("name")}
      />
    </Form>
  );
}
