// What is under way in each workspace, and what is stored.
import { Link } from "@tanstack/react-router";
import { Layers, MessagesSquare } from "lucide-react";
import type { ReactNode } from "react";
import { plural } from "../../client/text/words.ts";
import { Section } from "../kit/page/page-header.tsx";
import { useMe } from "../kit/server/queries.ts";
import { useWorkspace } from "../kit/server/workspace.ts";
import { percent } from "../kit/value/money.ts";
import { bytesText } from "../kit/value/sizes.ts";
import type { Overview } from "./queries.ts";

const look = "font-medium text-accent underline underline-offset-2";

export function UnderWay({ underWay }: { underWay: Overview["under_way"] }) {
  const { workspaces, searchOf } = useWorkspace();
  const { batches, sessions } = underWay;
  const placeOf = (name: string) => (workspaces.length > 1 ? ` in ${name}` : "");
  return (
    <Section title="Under way">
      {batches.length + sessions.length === 0 ? (
        <p className="text-soft">No batch is open, and no session runs.</p>
      ) : (
        <ul aria-label="Under way" className="rounded-lg border border-line bg-surface">
          {batches.map((each) => (
            <Line key={each.workspace_id} icon={<Layers size={16} />}>
              <Link to="/batches" search={searchOf(each.workspace_id)} className={look}>
                {plural(each.batches, "batch", "batches")} under way
              </Link>
              {placeOf(each.workspace_name)}: {each.done.toLocaleString("en")} of{" "}
              {each.requests.toLocaleString("en")} requests done
            </Line>
          ))}
          {sessions.map((each) => (
            <Line key={each.workspace_id} icon={<MessagesSquare size={16} />}>
              <Link to="/sessions" search={searchOf(each.workspace_id)} className={look}>
                {plural(each.sessions, "session runs", "sessions run")}
              </Link>
              {placeOf(each.workspace_name)}
            </Line>
          ))}
        </ul>
      )}
    </Section>
  );
}

function Line({ icon, children }: { icon: ReactNode; children: ReactNode }) {
  return (
    <li className="flex items-start gap-2.5 border-line px-4 py-2.5 text-soft not-last:border-b">
      <span aria-hidden className="mt-0.5 shrink-0">
        {icon}
      </span>
      <span className="min-w-0 wrap-anywhere">{children}</span>
    </li>
  );
}

const kinds = [
  { name: "files", title: "Files", to: "/files", permission: "files:use" },
  { name: "skills", title: "Skills", to: "/skills", permission: "skills:use" },
  { name: "memory", title: "Memory", to: "/memory", permission: "memory:use" },
  { name: "batches", title: "Batches", to: "/batches", permission: "batches:use" },
] as const;

/** From here on it is said that the disk is nearly full. */
const littleShare = 0.1;

export function Storage({ storage }: { storage: NonNullable<Overview["storage"]> }) {
  const { permissions } = useMe();
  const { disk_free: free, disk_size: size } = storage;
  const isLittle = free < size * littleShare;
  return (
    <Section title="Storage">
      <dl className="rounded-lg border border-line bg-surface">
        {kinds.map(({ name, title, to, permission }) => (
          <Stored key={name} value={bytesText(storage[name])}>
            {permissions.includes(permission) ? (
              <Link to={to} className="text-accent underline underline-offset-2">
                {title}
              </Link>
            ) : (
              title
            )}
          </Stored>
        ))}
        <Stored
          value={
            <span className={isLittle ? "font-medium text-bad" : ""}>
              {bytesText(free)} of {bytesText(size)} ({percent(free / size)})
              {isLittle && ": nearly full"}
            </span>
          }
        >
          Free on the disk
        </Stored>
      </dl>
    </Section>
  );
}

function Stored({ children, value }: { children: ReactNode; value: ReactNode }) {
  return (
    <div className="flex flex-wrap items-baseline justify-between gap-x-4 border-line px-4 py-2 not-last:border-b">
      <dt>{children}</dt>
      <dd className="text-soft tabular-nums">{value}</dd>
    </div>
  );
}
