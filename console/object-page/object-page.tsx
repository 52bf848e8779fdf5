// The page of a key, a person, a service account, a model or a workspace: what it is, what it costs, what holds it
// back, what it asked for last, and what was done to it.
import type { ComponentProps, ReactNode } from "react";
import { DetailPage } from "../kit/page/detail-page.tsx";
import { ApiError } from "../kit/server/api.ts";
import { NotFound } from "../kit/page/not-found.tsx";
import { ObjectAudit } from "./object-audit.tsx";
import { ObjectLimits, type Limited } from "./object-limits.tsx";
import { ObjectRequests } from "./object-requests.tsx";
import { ObjectSpend } from "./object-spend.tsx";
import type { Subject } from "./subject.ts";

type Detail<Data> = ComponentProps<typeof DetailPage<Data>>;

interface Parts<Data> extends Omit<Detail<Data>, "read" | "children" | "isMissing"> {
  /** Null: there is none. */
  read: Omit<Detail<Data>["read"], "data"> & { data: Data | null | undefined };
  subject: Subject;
  /** What it is. */
  factsOf: (data: Data) => ReactNode;
  /** What only such a thing has, after its limits. */
  ownOf?: (data: Data) => ReactNode;
  /** Where the limits that hold for it are; undefined for what is no more. */
  limitedOf: (data: Data) => Limited | undefined;
}

export function ObjectPage<Data>(props: Parts<Data>) {
  const { read, subject, factsOf, ownOf, limitedOf, ...detail } = props;
  const { data, error } = read;
  const isGone = data === undefined && error instanceof ApiError && error.status === 404;
  if (data === null || isGone) return <NotFound />;
  return (
    <DetailPage {...detail} read={{ ...read, data }}>
      {(shown) => {
        const limited = limitedOf(shown);
        return (
          <>
            {factsOf(shown)}
            <ObjectSpend subject={subject} />
            {limited !== undefined && <ObjectLimits limited={limited} />}
            {ownOf?.(shown)}
            <ObjectRequests subject={subject} />
            <ObjectAudit subject={subject} />
          </>
        );
      }}
    </DetailPage>
  );
}
