// What stands before every page: whoever may not see it is told so, and nothing is asked of the server.
import { Link } from "@tanstack/react-router";
import type { Me } from "../kit/server/api.ts";
import type { lazyPage } from "../kit/page/lazy-page.tsx";
import { useMe } from "../kit/server/queries.ts";
import { organizationWords } from "../kit/value/words.ts";
import type { PageEntry } from "../page-entry.ts";
import { refusalOf } from "../page-entry.ts";
import { buttonClass } from "../kit/page/button.tsx";
import { PageHeader } from "../kit/page/page-header.tsx";

type Lazy = ReturnType<typeof lazyPage>;

export function guarded(entry: PageEntry, Page: Lazy): Lazy {
  function Guarded() {
    const refusal = refusalOf(entry, useMe());
    return refusal === undefined ? <Page /> : <NotForYou entry={entry} refusal={refusal} />;
  }
  return Object.assign(Guarded, { preload: Page.preload });
}

function NotForYou({ entry, refusal }: { entry: PageEntry; refusal: "organization" | "role" }) {
  const { user, organization } = useMe();
  return (
    <>
      <PageHeader title={`This page is not for your ${refusal}`}>
        {refusal === "organization"
          ? `${entry.title}: ${organization.name} has none, because it is ${kindOf(organization)}.`
          : `${entry.title}: ${whatLacks(user)}. Ask an owner of ${organization.name} to look here for you, or to ${wayIn(user)}.`}
      </PageHeader>
      <Link to="/" className={buttonClass("primary")}>
        Go to the overview
      </Link>
    </>
  );
}

const kindOf = ({ type }: Me["organization"]): string =>
  `${type === "enterprise" ? "an" : "a"} ${(organizationWords[type] ?? type).toLowerCase()}`;

/** Which other roles have it only the server knows; owners have all that there is. */
const whatLacks = ({ role }: Me["user"]): string =>
  role === "managed" ? "no role of your groups includes it" : "your role does not include it";

const wayIn = ({ role }: Me["user"]): string =>
  role === "managed" ? "add you to a group whose roles let you" : "give you a role that may";
