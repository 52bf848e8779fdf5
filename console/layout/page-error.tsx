// A page that broke, inside a shell that still works.
import type { ErrorComponentProps } from "@tanstack/react-router";
import { PageHeader } from "../parts/page-header.tsx";
import { TroubleBox } from "../parts/trouble-box.tsx";

export function PageError({ error, reset }: ErrorComponentProps) {
  return (
    <>
      <PageHeader title="This page broke" />
      <TroubleBox error={error} retry={reset} />
    </>
  );
}
