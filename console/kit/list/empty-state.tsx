// What stands where a list would be: what it is for, and how to begin.
import type { LucideIcon } from "lucide-react";
import type { ReactNode } from "react";

export function EmptyState({
  icon: Icon,
  title,
  children,
  action,
}: {
  icon: LucideIcon;
  title: string;
  children: ReactNode;
  action?: ReactNode;
}) {
  return (
    <div className="rounded-lg border border-dashed border-line-strong bg-surface px-4 py-10 text-center">
      <Icon size={28} aria-hidden className="mx-auto mb-3 text-soft" />
      <h2 className="text-lg font-semibold">{title}</h2>
      <div className="mx-auto mt-1 max-w-[60ch] text-soft">{children}</div>
      {action !== undefined && <div className="mt-4 flex justify-center gap-2">{action}</div>}
    </div>
  );
}
