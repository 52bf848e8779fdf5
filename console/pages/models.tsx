// Models and where they are asked.
import { PageHeader } from "../parts/page-header.tsx";

export function Page() {
  return <PageHeader title="Models" />;
}
