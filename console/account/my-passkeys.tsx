// The person's passkeys: each by its name, and whether one is asked for after the password.
import { useQuery } from "@tanstack/react-query";
import { Fingerprint } from "lucide-react";
import { addPasskey, passkeyActs } from "./passkey-dialogs.tsx";
import { api, type MyWays, type Passkey } from "../kit/server/api.ts";
import { hasPasskeys, isNameHere, otherAddress } from "../kit/identity/passkeys.ts";
import { useProvenAct } from "../kit/identity/proven.tsx";
import { queries, queryClient } from "../kit/server/queries.ts";
import { ActMenu } from "../kit/list/act-menu.tsx";
import { Badge } from "../kit/value/badge.tsx";
import { Button } from "../kit/page/button.tsx";
import { CheckField } from "../kit/form/field.tsx";
import { Section } from "../kit/page/page-header.tsx";
import { timeColumn } from "../kit/list/columns.tsx";
import { ListView } from "../kit/list/list-view.tsx";
import { useWholeList } from "../kit/list/list.ts";
import type { Column } from "../kit/list/table.tsx";
import { Time } from "../kit/value/time.tsx";
import { say } from "../kit/page/say.ts";

export function MyPasskeys() {
  const list = useWholeList(queries.myWays);
  const { data: ways } = useQuery(queries.myWays);
  const canAdd = ways !== undefined && whyNot(ways) === undefined;
  const { length: count } = list.rows;
  return (
    <Section
      title="Passkeys"
      note="Sign in with your finger, your face or a PIN in place of a password."
      actions={canAdd && count > 0 && <Button onClick={addPasskey}>Add a passkey</Button>}
    >
      {ways !== undefined && <WhyNot ways={ways} />}
      {(ways === undefined || canAdd || count > 0) && (
        <ListView
          label="Passkeys"
          icon={Fingerprint}
          list={list}
          columns={columns(count === 1)}
          empty={{
            title: "No passkeys yet",
            action: (
              <Button look="primary" onClick={addPasskey}>
                Add a passkey
              </Button>
            ),
            children:
              "A passkey cannot be guessed, reused or given to the wrong site. Have two, on different devices, so that losing one keeps nobody out.",
          }}
        />
      )}
      {ways !== undefined && count > 0 && <SecondStep ways={ways} />}
    </Section>
  );
}

/** Why this browser, at this address, can make none. */
function whyNot({ unavailable, relying_party }: MyWays): string | undefined {
  if (unavailable !== null) return unavailable;
  if (!hasPasskeys()) return "This browser has no passkeys.";
  if (relying_party !== null && !isNameHere(relying_party))
    return `Browsers keep passkeys for the server's name, ${relying_party}, and you are at another address.`;
  return undefined;
}

function WhyNot({ ways }: { ways: MyWays }) {
  const reason = whyNot(ways);
  if (reason === undefined) return null;
  const { relying_party: name } = ways;
  return (
    <p className="mb-3 rounded-lg bg-sunken p-3 wrap-anywhere">
      {reason}{" "}
      {name !== null && !isNameHere(name) && (
        <a className="text-accent underline" href={otherAddress(name)}>
          Open the console there
        </a>
      )}
    </p>
  );
}

function SecondStep({ ways }: { ways: MyWays }) {
  const turn = useProvenAct({
    mutationFn: (required: boolean) => api.second_step({ body: { required } }),
    onSuccess: async ({ second_step }) => {
      await queryClient.invalidateQueries();
      say.good(
        second_step ? "Your password alone lets nobody in now" : "Your password is enough again",
      );
    },
    onError: say.error,
  });
  if (!ways.has_password) return null;
  return (
    <div className="mt-3">
      <CheckField
        label="Ask for a passkey after my password"
        hint="Whoever learns your password does not get in with it. A passkey alone goes on to sign you in."
        checked={ways.second_step}
        disabled={turn.isPending}
        onChange={({ target }) => turn.mutate(target.checked)}
      />
      {turn.proof}
    </div>
  );
}

const columns = (isLast: boolean): Column<Passkey>[] => [
  {
    title: "Passkey",
    heads: true,
    cell: (passkey) => (
      <span className="inline-flex flex-wrap items-center gap-2 wrap-anywhere">
        {passkey.name}
        {passkey.backed_up && <Badge>Synced</Badge>}
        {!passkey.usable && <Badge tone="warn">Made for {passkey.relying_party}</Badge>}
      </span>
    ),
  },
  timeColumn("Added", (passkey) => passkey.created_at),
  {
    title: "Last used",
    cell: ({ last_used_at: at }) => <Time at={at} never="Not yet" />,
  },
  {
    title: "Acts",
    bare: true,
    className: "text-right",
    cell: (passkey) => (
      <ActMenu label={`Acts on ${passkey.name}`} acts={passkeyActs(passkey, isLast)} />
    ),
  },
];
