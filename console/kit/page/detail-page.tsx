// A page of one thing: the way back, its name, what can be done with it, and what it is.
import { Link, type LinkProps } from "@tanstack/react-router";
import { ArrowLeft } from "lucide-react";
import type { ReactNode } from "react";
import { ActMenu, type MenuAct } from "../list/act-menu.tsx";
import { Button } from "./button.tsx";
import { PageHeader } from "./page-header.tsx";
import { RowsSkeleton } from "./skeleton.tsx";
import { TroubleBox } from "./trouble-box.tsx";

interface Read<Data> {
  data: Data | undefined;
  error: Error | null;
  refetch: () => unknown;
}

export function DetailPage<Data>({
  back,
  noun,
  read,
  titleOf,
  aboutOf,
  actsOf,
  isLooking = false,
  isMissing = false,
  menuOf = () => `More for this ${noun.toLowerCase()}`,
  besideOf,
  children,
}: {
  /** None where a phone has no room for it. */
  back: (Pick<LinkProps, "to" | "search"> & { label: string }) | undefined;
  /** What it is called before its name is known: `Webhook endpoint`. */
  noun: string;
  read: Read<Data>;
  /** It is not here, and may be elsewhere: that is being looked into. */
  isLooking?: boolean;
  /** There is none: the page says so in its own words. */
  isMissing?: boolean;
  titleOf: (data: Data) => string;
  aboutOf?: ((data: Data) => ReactNode) | undefined;
  /** What can be done with it; undefined where this person may not. */
  actsOf?: ((data: Data) => readonly MenuAct[]) | undefined;
  /** The name of the menu of the acts that are no buttons. */
  menuOf?: (data: Data) => string;
  /** Before its acts: what is a link, or more than a button. */
  besideOf?: ((data: Data) => ReactNode) | undefined;
  children: (data: Data) => ReactNode;
}) {
  const { data, error, refetch } = read;
  return (
    <>
      {back !== undefined && <BackLink {...back} />}
      <PageHeader
        title={data === undefined ? noun : titleOf(data)}
        actions={
          data !== undefined && (
            <div className="flex flex-wrap items-center gap-2">
              {besideOf?.(data)}
              <Acts menu={menuOf(data)} acts={actsOf?.(data) ?? []} />
            </div>
          )
        }
      >
        {data !== undefined && aboutOf?.(data)}
      </PageHeader>
      {error !== null && !isLooking && <TroubleBox error={error} retry={() => void refetch()} />}
      {(error === null || isLooking) && data === undefined && !isMissing && <RowsSkeleton />}
      {data !== undefined && children(data)}
    </>
  );
}

export function BackLink({
  label,
  ...link
}: Pick<LinkProps, "to" | "params" | "search"> & { label: string }) {
  return (
    <Link
      {...link}
      className="mb-3 inline-flex items-center gap-1.5 text-sm text-soft wrap-anywhere hover:text-ink max-md:min-h-10"
    >
      <ArrowLeft size={15} className="shrink-0" aria-hidden />
      {label}
    </Link>
  );
}

/** The main ones as buttons, the others in a menu. */
function Acts({ menu, acts }: { menu: string; acts: readonly MenuAct[] }) {
  const offered = acts.filter(({ when }) => when !== false);
  const rest = offered.filter(({ button }) => button === undefined);
  return (
    <>
      {offered.map(({ label, icon: Icon, run, button }) =>
        button === undefined ? null : (
          <Button key={label} look={button} onClick={run}>
            <Icon size={16} aria-hidden />
            {label}
          </Button>
        ),
      )}
      {rest.length > 0 && <ActMenu label={menu} acts={rest} />}
    </>
  );
}
