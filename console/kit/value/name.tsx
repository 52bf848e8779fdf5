// What has an id, by its name: the id stands in the title, and is copied with a press.
import type { ReactNode } from "react";
import { CopyIcon } from "./copy-button.tsx";
import { ObjectLink } from "./object-link.tsx";
import { useNames, type NamedKind } from "./names.ts";

/** What is longer may be cut after two lines: it stands in the title, too. */
const fitsMax = 30;

export function Name({
  id,
  kind,
  known,
  unnamed = <span className="font-mono text-sm wrap-anywhere">{id}</span>,
  title = id,
}: {
  id: string;
  /** Where the id does not tell it. */
  kind?: NamedKind;
  /** The name, where the page has it already. */
  known?: string | null | undefined;
  /** In place of the id, where there is no name. */
  unnamed?: ReactNode;
  title?: string;
}) {
  const nameOf = useNames();
  const name = known ?? nameOf(id, kind);
  return (
    <span
      className="group/name inline-flex max-w-full min-w-0 items-center gap-1"
      title={name !== undefined && name.length > fitsMax ? `${name}\n${title}` : title}
    >
      {name === undefined ? (
        unnamed
      ) : (
        <span className="line-clamp-2 min-w-0 wrap-anywhere">
          <ObjectLink id={id} kind={kind}>
            {name}
          </ObjectLink>
        </span>
      )}
      <CopyIcon text={id} label={`Copy the id of ${name ?? id}`} />
    </span>
  );
}
