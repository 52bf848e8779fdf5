// An address without a page.
import { Link } from "@tanstack/react-router";
import { buttonClass } from "./button.tsx";
import { PageHeader } from "./page-header.tsx";

export function NotFound() {
  return (
    <>
      <PageHeader title="There is no such page">
        The address may be mistyped, or the page belongs to something that was removed.
      </PageHeader>
      <Link to="/" className={buttonClass("primary")}>
        Go to the overview
      </Link>
    </>
  );
}
