// One of the tabs above what they switch between.
import { Tabs } from "@base-ui/react/tabs";
import type { ReactNode } from "react";

export function Tab({
  value,
  disabled = false,
  children,
}: {
  value: string;
  disabled?: boolean;
  children: ReactNode;
}) {
  return (
    <Tabs.Tab
      value={value}
      disabled={disabled}
      className="rounded-md px-2.5 py-1 font-medium text-soft hover:text-ink data-active:bg-accent-soft data-active:text-accent data-disabled:opacity-55 max-md:min-h-10"
    >
      {children}
    </Tabs.Tab>
  );
}
