// Code to paste: one block, or several behind tabs.
import { Tabs } from "@base-ui/react/tabs";
import type { Snippet } from "./snippets.ts";
import { CopyButton } from "./copy-button.tsx";

export function Code({
  code,
  shown = code,
  label,
}: {
  code: string;
  shown?: string;
  label: string;
}) {
  return (
    <div className="flex items-start rounded-md border max-md:flex-col max-md:items-stretch border-line bg-sunken">
      <pre
        tabIndex={0}
        role="region"
        aria-label={label}
        className="min-w-0 flex-1 overflow-x-auto p-3 font-mono text-sm leading-5"
      >
        <code>{shown}</code>
      </pre>
      <CopyButton text={code} className="m-1.5 max-md:self-end" />
    </div>
  );
}

export function SnippetTabs({ snippets, label }: { snippets: Snippet[]; label: string }) {
  return (
    <Tabs.Root defaultValue={snippets[0]?.label}>
      <Tabs.List aria-label={label} className="mb-2 flex gap-1 overflow-x-auto p-0.5">
        {snippets.map((snippet) => (
          <Tabs.Tab
            key={snippet.label}
            value={snippet.label}
            className="rounded-md px-2.5 py-1 font-medium text-soft hover:text-ink data-active:bg-accent-soft data-active:text-accent max-md:min-h-10"
          >
            {snippet.label}
          </Tabs.Tab>
        ))}
      </Tabs.List>
      {snippets.map((snippet) => (
        <Tabs.Panel key={snippet.label} value={snippet.label}>
          <Code code={snippet.code} label={`${label}, ${snippet.label}`} />
        </Tabs.Panel>
      ))}
    </Tabs.Root>
  );
}
