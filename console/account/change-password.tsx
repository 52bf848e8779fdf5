// A new password; the old one proves who asks.
import { TextField } from "../kit/form/field.tsx";
import { Form, useForm } from "../kit/form/form.tsx";
import { api } from "../kit/server/api.ts";

const empty = { current_password: "", new_password: "" };

export function ChangePassword({ email }: { email: string }) {
  const form = useForm({
    start: empty,
    save: (body) => api.password({ body }),
    done: () => "Your password is changed",
    next: () => form.set(empty),
  });
  const { current_password: current, new_password: next } = form.values;
  return (
    <Form form={form} label="Change password" inPage isReady={current !== "" && next !== ""}>
      {/* Password managers want to know whose password this is. */}
      <input type="email" autoComplete="username" value={email} readOnly hidden />
      <TextField
        label="Current password"
        type="password"
        autoComplete="current-password"
        required
        {...form.field("current_password")}
      />
      <TextField
        label="New password"
        type="password"
        autoComplete="new-password"
        required
        hint="At least 12 characters. A few unrelated words do well. Your other sign-ins end."
        {...form.field("new_password")}
      />
    </Form>
  );
}
