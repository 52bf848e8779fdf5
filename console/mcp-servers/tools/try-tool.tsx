// A tool is tried: a form made of its schema, and what it answered.
import { useState } from "react";
import { openDialog } from "../../kit/dialog/open-dialog.ts";
import { AreaField, TextField } from "../../kit/form/field.tsx";
import { Form, useForm, type FormState } from "../../kit/form/form.tsx";
import { SelectField } from "../../kit/form/select.tsx";
import type { McpServer } from "../../kit/server/api.ts";
import { runTool, type Workspace } from "../mcp-servers.ts";
import { faultsIn, inputFields, inputOf, notGiven, type InputField } from "./input-fields.ts";
import { ToolPage, type Shown } from "../pages/tool-page.tsx";
import { ToolResult, type Result } from "./tool-result.tsx";
import type { ServerTool } from "./tools.tsx";

export const tryTool = (
  tool: ServerTool,
  tools: readonly ServerTool[],
  at: McpServer,
  workspace: Workspace,
): void =>
  openDialog({
    title: `Try ${tool.name}`,
    description: `It is run by ${at.name}, with all that it does there.`,
    wide: true,
    body: <Trial tool={tool} tools={tools} at={at} workspace={workspace} />,
  });

interface Tried extends Pick<Shown, "input"> {
  result: Result;
  at: number;
}

function Trial({ tool, tools, at, workspace }: Pick<Shown, "tool" | "tools" | "at" | "workspace">) {
  const fields = inputFields(tool.input_schema);
  const [tried, setTried] = useState<Tried>();
  const form = useForm<Record<string, string>, Tried>({
    start: Object.fromEntries(fields.map(({ name, start }) => [name, start])),
    faultsOf: (texts) => faultsIn(fields, texts),
    save: async (texts) => {
      const input = inputOf(fields, texts);
      return {
        input,
        result: await runTool(at, workspace, tool.name, input),
        at: performance.now(),
      };
    },
    renew: () => undefined,
    next: setTried,
    stays: true,
  });
  return (
    <div className="grid gap-5">
      <Form form={form} label="Run the tool" isReady>
        {fields.length === 0 && <p className="text-soft">It takes no input.</p>}
        {fields.map((field) => (
          <Field key={field.name} field={field} form={form} />
        ))}
      </Form>
      <div aria-live="polite">
        {tried !== undefined && !form.isPending && <ToolResult result={tried.result} />}
      </div>
      {tried?.result.status === "connected" && tool.page_uri !== null && !form.isPending && (
        <ToolPage key={tried.at} {...{ tool, tools, at, workspace }} {...pageOf(tried)} />
      )}
    </div>
  );
}

const pageOf = ({ input, result }: Tried) => ({ input, result });

function Field({ field, form }: { field: InputField; form: FormState<Record<string, string>> }) {
  const { name, kind, required, type, description, choices } = field;
  const label = kind === "whole" ? "Input" : name;
  const about = `${type}${required ? "" : ", optional"}`;
  const hint = description === undefined ? about : `${description} (${about})`;
  if (kind === "choice")
    return (
      <SelectField
        label={label}
        hint={hint}
        choices={choices}
        {...form.choice(name)}
        value={form.values[name] ?? notGiven}
      />
    );
  const shared = { label, hint, required, autoComplete: "off", ...form.field(name) };
  if (kind === "number" || kind === "integer")
    return <TextField inputMode={kind === "integer" ? "numeric" : "decimal"} {...shared} />;
  const isJson = kind !== "text";
  return (
    <AreaField
      rows={isJson ? 2 : 1}
      spellCheck={!isJson}
      className={isJson ? "font-mono text-sm" : ""}
      {...shared}
    />
  );
}
