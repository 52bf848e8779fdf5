// A page that broke or whose code did not come, inside a shell that still works.
import type { ErrorComponentProps } from "@tanstack/react-router";
import { useEffect, useRef } from "react";
import { api } from "../kit/server/api.ts";
import { PageMissing, startAnew } from "../kit/page/lazy-page.tsx";
import { away } from "../kit/server/away.ts";
import { useShared } from "../kit/server/use-shared.ts";
import { PageHeader } from "../kit/page/page-header.tsx";
import { TroubleBox } from "../kit/page/trouble-box.tsx";

export function PageError({ error, reset }: ErrorComponentProps) {
  if (error instanceof PageMissing) return <Missing />;
  return (
    <>
      <PageHeader title="This page broke" />
      <TroubleBox error={error} retry={reset} />
    </>
  );
}

/** It comes by itself where the server was away; code that a server which answers has not got would never come. */
function Missing() {
  const isAway = useShared(away);
  const wasAway = useRef(false);
  useEffect(() => void api.me().catch(() => undefined), []);
  useEffect(() => {
    if (wasAway.current && !isAway) void startAnew();
    wasAway.current ||= isAway;
  }, [isAway]);
  return (
    <>
      <PageHeader title={isAway ? "This page comes later" : "This page did not come"}>
        {isAway
          ? "Its code could not be fetched, because the server does not answer."
          : "Its code could not be fetched: the server may have been updated."}
      </PageHeader>
      {!isAway && <TroubleBox error={new PageMissing()} retry={() => void startAnew()} />}
    </>
  );
}
