// What is known of one thing, as names and values.
import type { ReactNode } from "react";
import { Card } from "../page/page-header.tsx";
import { CopyButton } from "./copy-button.tsx";

export function Facts({ children }: { children: ReactNode }) {
  return (
    <Card className="mb-8">
      <dl className="grid gap-x-6 gap-y-3 sm:grid-cols-[auto_1fr]">{children}</dl>
    </Card>
  );
}

export function FactRow({ name, children }: { name: string; children: ReactNode }) {
  return (
    <>
      <dt className="text-soft">{name}</dt>
      <dd className="min-w-0 max-sm:mb-2">{children}</dd>
    </>
  );
}

export const IdRow = ({ id }: { id: string }) => (
  <FactRow name="Id">
    <span className="flex min-w-0 flex-wrap items-center gap-2">
      <code className="font-mono text-sm break-all">{id}</code>
      <CopyButton text={id} label="Copy id" />
    </span>
  </FactRow>
);

/** Nothing where there is none. */
export function MetadataRow({ metadata }: { metadata: Readonly<Record<string, string>> }) {
  const pairs = Object.entries(metadata);
  if (pairs.length === 0) return null;
  return (
    <FactRow name="Metadata">
      <ul className="grid gap-0.5">
        {pairs.map(([key, value]) => (
          <li key={key} className="font-mono text-sm wrap-anywhere">
            {key}: {value}
          </li>
        ))}
      </ul>
    </FactRow>
  );
}

/** One beside others, its name above it. Stands in a `dl`. */
export function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div>
      <dt className="text-sm text-soft">{name}</dt>
      <dd className="font-medium wrap-anywhere">{children}</dd>
    </div>
  );
}
