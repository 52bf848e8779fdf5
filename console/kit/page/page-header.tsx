// The top of every page: title (also of the window), one sentence, acts.
import { useEffect, type ReactNode } from "react";

export function PageHeader({
  title,
  children,
  actions,
}: {
  title: string;
  children?: ReactNode;
  actions?: ReactNode;
}) {
  usePageTitle(title);
  return (
    <header className="mb-6 flex flex-wrap items-start gap-x-4 gap-y-3">
      <div className="min-w-0 flex-1 basis-72">
        <h1 className="text-xl font-semibold tracking-tight text-balance wrap-anywhere">{title}</h1>
        {children !== undefined && (
          <p className="mt-1 max-w-[70ch] text-soft wrap-anywhere">{children}</p>
        )}
      </div>
      {actions}
    </header>
  );
}

export function usePageTitle(title: string): void {
  useEffect(() => {
    document.title = `${title} · Plinth`;
  }, [title]);
}

/** A part of a page with a heading of its own. */
export function Section({
  title,
  note,
  actions,
  children,
}: {
  title: string;
  note?: ReactNode;
  actions?: ReactNode;
  children: ReactNode;
}) {
  return (
    <section className="mb-8">
      <div className="mb-3 flex flex-wrap items-end gap-x-4 gap-y-2">
        <div className="min-w-0 flex-1 basis-60">
          <h2 className="text-lg font-semibold">{title}</h2>
          {note !== undefined && <p className="text-soft">{note}</p>}
        </div>
        {actions}
      </div>
      {children}
    </section>
  );
}

export function Card({ children, className = "" }: { children: ReactNode; className?: string }) {
  return (
    <div className={`rounded-lg border border-line bg-surface p-4 ${className}`}>{children}</div>
  );
}
