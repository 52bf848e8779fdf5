// Sign-in methods: the identity provider, who waits to be known, who keeps a way past it, and who came in how.
import { useQuery } from "@tanstack/react-query";
import type { SignInMethods } from "../kit/server/api.ts";
import { useMe } from "../kit/server/queries.ts";
import { plural } from "../../client/text/words.ts";
import { methodWords, spaced } from "../kit/value/words.ts";
import { Badge } from "../kit/value/badge.tsx";
import { BreakGlass } from "./break-glass.tsx";
import { Card, PageHeader, Section } from "../kit/page/page-header.tsx";
import { SingleSignOnCard } from "./single-sign-on-card.tsx";
import { RowsSkeleton } from "../kit/page/skeleton.tsx";
import { Strangers } from "./strangers.tsx";
import { Table, type Column } from "../kit/list/table.tsx";
import { Time } from "../kit/value/time.tsx";
import { TroubleBox } from "../kit/page/trouble-box.tsx";
import { signInQueries } from "./queries.ts";

export function Page() {
  const { organization, permissions } = useMe();
  const isOwner = permissions.includes("identity_provider:write");
  const { data, error, refetch } = useQuery(signInQueries.methods);
  return (
    <>
      <PageHeader title="Sign-in methods">
        How the people of {organization.name} get in, and who still does if the identity provider
        fails.
      </PageHeader>
      <SingleSignOnCard isOwner={isOwner} />
      {isOwner && <Strangers />}
      {error !== null && <TroubleBox error={error} retry={() => void refetch()} />}
      {error === null && data === undefined && <RowsSkeleton rows={4} />}
      {data !== undefined && (
        <>
          <OwnWays methods={data} />
          <BreakGlass owners={data.break_glass} isOwner={isOwner} />
          <Section title="Who came in how" note="Each person's last sign-in, newest first.">
            <Table
              label="Last sign-ins"
              columns={recentColumns}
              rows={data.recent}
              keyOf={({ user }) => user.id}
            />
          </Section>
        </>
      )}
    </>
  );
}

const peopleCountedMax = 1_000;

function OwnWays({ methods }: { methods: SignInMethods }) {
  const { people_with_passkeys: count, domains } = methods;
  const people = count >= peopleCountedMax ? "More than a thousand people have" : have(count);
  return (
    <Section title="Passwords, passkeys and domains">
      <div className="grid gap-3 md:grid-cols-2">
        <Card>
          <h3 className="font-medium">Passwords and passkeys</h3>
          <p className="mt-1 text-soft">
            {people} passkeys. Everybody adds their own on the page Account, and may ask for one
            after their password.
          </p>
        </Card>
        <Card>
          <h3 className="font-medium">E-mail domains</h3>
          {domains.length === 0 ? (
            <p className="mt-1 text-soft">
              None is claimed. A verified domain leads its people to your provider, and lets members
              who are here already be recognized by their e-mail.
            </p>
          ) : (
            <ul className="mt-1 grid gap-1.5">
              {domains.map(({ domain, verified }) => (
                <li key={domain} className="flex flex-wrap items-center gap-2 wrap-anywhere">
                  {domain}
                  <Badge tone={verified ? "good" : "warn"}>
                    {verified ? "Verified" : "Not verified"}
                  </Badge>
                </li>
              ))}
            </ul>
          )}
        </Card>
      </div>
    </Section>
  );
}

const have = (count: number) =>
  count === 0 ? "Nobody has" : plural(count, "person has", "people have");

const recentColumns: Column<SignInMethods["recent"][number]>[] = [
  {
    title: "Person",
    heads: true,
    cell: ({ user }) => (
      <span className="wrap-anywhere" title={user.email}>
        {user.name}
      </span>
    ),
  },
  { title: "Role", cell: ({ role }) => spaced(role) },
  { title: "By", cell: ({ method }) => methodWords[method] ?? spaced(method) },
  { title: "When", cell: ({ at }) => <Time at={at} /> },
];
