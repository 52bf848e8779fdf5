// A page that broke, inside a shell that still works.
import type { ErrorComponentProps } from "@tanstack/react-router";
import { PageMissing, startAnew } from "../lib/lazy-page.tsx";
import { PageHeader } from "../parts/page-header.tsx";
import { TroubleBox } from "../parts/trouble-box.tsx";

export function PageError({ error, reset }: ErrorComponentProps) {
  function retry(): void {
    if (error instanceof PageMissing) void startAnew();
    else reset();
  }
  return (
    <>
      <PageHeader title="This page broke" />
      <TroubleBox error={error} retry={retry} />
    </>
  );
}
