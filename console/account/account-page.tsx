// The person's own page: who they are here, what they spend, their password, and where they are signed in.
import { useQuery } from "@tanstack/react-query";
import { ChangePassword } from "./change-password.tsx";
import { RenameSelf } from "./rename-self.tsx";
import { useAct } from "../kit/form/act.ts";
import { signOut } from "../kit/server/sign-out.ts";
import { api, type SignIn } from "../kit/server/api.ts";
import { queries, queryClient, useMe } from "../kit/server/queries.ts";
import { deviceWords, methodWords, organizationWords, spaced } from "../kit/value/words.ts";
import { MyPasskeys } from "./my-passkeys.tsx";
import { Badge } from "../kit/value/badge.tsx";
import { Button } from "../kit/page/button.tsx";
import { confirm } from "../kit/dialog/confirmation.tsx";
import { OwnSpend } from "../limits/members/own-spend.tsx";
import { Card, PageHeader, Section } from "../kit/page/page-header.tsx";
import { ProgramSignIns } from "./program-sign-ins.tsx";
import { timeColumn } from "../kit/list/columns.tsx";
import { ListView } from "../kit/list/list-view.tsx";
import { useWholeList } from "../kit/list/list.ts";
import type { Column } from "../kit/list/table.tsx";
import { say } from "../kit/page/say.ts";
import { accountQueries } from "./queries.ts";

export function Page() {
  const { user, organization } = useMe();
  return (
    <>
      <PageHeader title="Account">
        {user.name}, {spaced(user.role).toLowerCase()} of {organization.name} (
        {organizationWords[organization.type]?.toLowerCase() ?? organization.type}).
      </PageHeader>
      <Section title="Name" note="What the others see beside what you do.">
        <Card className="max-w-md">
          <RenameSelf name={user.name} />
        </Card>
      </Section>
      <OwnSpend />
      <MyPassword email={user.email} />
      <MyPasskeys />
      <SignIns />
      <ProgramSignIns />
    </>
  );
}

/** A person who comes through the identity provider alone has none. */
function MyPassword({ email }: { email: string }) {
  const { data } = useQuery(queries.myWays);
  if (data?.has_password !== true) return null;
  return (
    <Section title="Password" note={`You sign in as ${email}.`}>
      <Card className="max-w-md">
        <ChangePassword email={email} />
      </Card>
    </Section>
  );
}

function SignIns() {
  const list = useWholeList(accountQueries.signIns);
  const { length: count } = list.rows;
  const end = useAct({
    mutationFn: (signIn: SignIn) => api.sign_ins.delete({ params: { sign_in_id: signIn.id } }),
    onSuccess: () => {
      void queryClient.invalidateQueries();
      say.good("That browser is signed out");
    },
    onError: say.error,
  });
  return (
    <Section
      title="Where you are signed in"
      note="A sign-in you do not know? End it, then change the password."
      actions={<Button onClick={() => signOutEverywhere(count)}>Sign out everywhere</Button>}
    >
      <ListView
        label="Sign-ins"
        list={list}
        columns={columns(end.mutate, end.isPending)}
        empty={{}}
      />
    </Section>
  );
}

const signOutEverywhere = (count: number) =>
  confirm({
    title: "Sign out everywhere?",
    label: "Sign out everywhere",
    run: () => signOut(true),
    renew: () => {},
    children: (
      <p>All {count || ""} sign-ins end at once, this browser's too. API keys go on working.</p>
    ),
  });

const columns = (end: (signIn: SignIn) => void, busy: boolean): Column<SignIn>[] => [
  {
    title: "Browser",
    heads: true,
    cell: (signIn) => (
      <span className="inline-flex flex-wrap items-center gap-2">
        <span title={signIn.user_agent}>{deviceWords(signIn.user_agent)}</span>
        {signIn.current && <Badge tone="accent">This one</Badge>}
      </span>
    ),
  },
  { title: "By", cell: (signIn) => methodWords[signIn.method] ?? spaced(signIn.method) },
  { title: "Address", cell: (signIn) => signIn.address },
  timeColumn("Signed in", (signIn) => signIn.created_at),
  timeColumn("Last seen", (signIn) => signIn.last_seen_at),
  {
    title: "Acts",
    bare: true,
    className: "text-right",
    cell: (signIn) =>
      !signIn.current && (
        <Button
          busy={busy}
          aria-label={`End the sign-in of ${deviceWords(signIn.user_agent)}`}
          onClick={() => end(signIn)}
        >
          End
        </Button>
      ),
  },
];
