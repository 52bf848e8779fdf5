// A page of a list: its title, what it is, the way to make a new one, and the list.
import { Plus, type LucideIcon } from "lucide-react";
import type { ReactNode } from "react";
import { useCommands } from "../page/commands.ts";
import { Button } from "../page/button.tsx";
import { PageHeader } from "../page/page-header.tsx";
import { ListView, type ListViewProps } from "./list-view.tsx";

export interface Create {
  label: string;
  run: () => void;
  icon?: LucideIcon;
  /** False where the palette has it on every page. */
  inPalette?: boolean;
}

export function ListPage<Row extends object>({
  title,
  about,
  create,
  actions,
  above,
  children,
  empty,
  ...view
}: Omit<ListViewProps<Row>, "label"> & {
  title: string;
  /** Of the table, where it is called otherwise than the page. */
  label?: string;
  about: ReactNode;
  /** The way to a new one; undefined where this person may not make any. */
  create?: Create | undefined;
  /** More ways, before it. */
  actions?: ReactNode;
  /** Said before the list. */
  above?: ReactNode;
  /** What follows the list, or opens over the page. */
  children?: ReactNode;
}) {
  useNewCommand(create);
  return (
    <>
      <PageHeader
        title={title}
        actions={
          (create !== undefined || actions !== undefined) && (
            <div className="flex flex-wrap gap-2">
              {actions}
              {create !== undefined && <CreateButton create={create} />}
            </div>
          )
        }
      >
        {about}
      </PageHeader>
      {above}
      <ListView
        label={title}
        {...view}
        empty={{
          ...(create !== undefined && { action: <CreateButton create={create} /> }),
          ...empty,
        }}
      />
      {children}
    </>
  );
}

export function CreateButton({ create: { label, run, icon: Icon = Plus } }: { create: Create }) {
  return (
    <Button look="primary" onClick={run} title="N">
      <Icon size={16} aria-hidden />
      {label}
    </Button>
  );
}

/** The key `n` makes a new one. */
export function useNewCommand(create: Create | undefined): void {
  useCommands(
    create === undefined ? [] : [{ ...create, id: "list:new", group: "This page", keys: "n" }],
  );
}
