// How Entra and Okta are set up, step by step, with the words that stand in their own consoles.
import { Tabs } from "@base-ui/react/tabs";
import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { useMe } from "../kit/server/queries.ts";
import { scimQueries } from "./scim.ts";
import { Section } from "../kit/page/page-header.tsx";
import { Tab } from "../kit/page/tab.tsx";

interface Guide {
  id: string;
  name: string;
  steps: (facts: { url: string; groups: boolean }) => ReactNode[];
}

const Term = ({ children }: { children: ReactNode }) => (
  <strong className="font-semibold">{children}</strong>
);

const Exact = ({ children }: { children: ReactNode }) => (
  <code className="rounded bg-sunken px-1 font-mono text-sm break-all">{children}</code>
);

const guides: readonly Guide[] = [
  {
    id: "entra",
    name: "Microsoft Entra ID",
    steps: ({ url, groups }) => [
      <>
        In the Entra admin center open <Term>Enterprise applications</Term> →{" "}
        <Term>New application</Term> → <Term>Create your own application</Term>, and choose the one
        that is not in the gallery.
      </>,
      <>
        Open <Term>Provisioning</Term> → <Term>New configuration</Term>. Tenant URL:{" "}
        <Exact>{url}</Exact>. Secret token: the token from above. Press <Term>Test connection</Term>
        : two requests stand below, each with 200.
      </>,
      <>
        Under <Term>Mappings</Term> keep <Exact>userName</Exact> as the matching attribute, and map{" "}
        <Exact>mail</Exact> to <Exact>{'emails[type eq "work"].value'}</Exact> and{" "}
        <Exact>Switch([IsSoftDeleted], …)</Exact> to <Exact>active</Exact>.
      </>,
      <>
        For roles add the mapping
        <Exact>AppRoleAssignmentsComplex([appRoleAssignments])</Exact> to <Exact>roles</Exact>, and
        name the app roles as the roles are called here, such as{" "}
        <Exact>{groups ? "managed" : "developer"}</Exact>.
      </>,
      groups ? (
        <>
          Leave <Term>Provision Microsoft Entra ID Groups</Term> on: <Exact>displayName</Exact>,{" "}
          <Exact>externalId</Exact> and <Exact>members</Exact> are what it sends.
        </>
      ) : (
        <>
          Switch <Term>Provision Microsoft Entra ID Groups</Term> off: this organization has no
          groups.
        </>
      ),
      <>
        Switch SCIM on above, assign people under <Term>Users and groups</Term>, and set{" "}
        <Term>Provisioning status</Term> to on. Entra sends changes every 40 minutes;{" "}
        <Term>Provision on demand</Term> sends one person at once.
      </>,
    ],
  },
  {
    id: "okta",
    name: "Okta",
    steps: ({ url, groups }) => [
      <>
        In the Okta admin console open <Term>Applications</Term> → <Term>Browse App Catalog</Term>,
        and add <Term>SCIM 2.0 Test App (OAuth Bearer Token)</Term>, or switch{" "}
        <Term>SCIM provisioning</Term> on in the app that signs people in.
      </>,
      <>
        Open <Term>Provisioning</Term> → <Term>Integration</Term>. SCIM connector base URL:{" "}
        <Exact>{url}</Exact>. Unique identifier field for users: <Exact>userName</Exact>.
      </>,
      <>
        Supported provisioning actions: <Term>Import New Users and Profile Updates</Term>,{" "}
        <Term>Push New Users</Term>, <Term>Push Profile Updates</Term>
        {groups && (
          <>
            , <Term>Push Groups</Term>
          </>
        )}
        . Authentication mode: <Term>HTTP Header</Term>, with the token from above. Press{" "}
        <Term>Test Connector Configuration</Term>.
      </>,
      <>
        Under <Term>To App</Term> switch on <Term>Create Users</Term>,{" "}
        <Term>Update User Attributes</Term> and <Term>Deactivate Users</Term>. Without the last one
        nobody who leaves is signed out.
      </>,
      <>
        For roles add an attribute <Exact>roles</Exact> (string array, external namespace{" "}
        <Exact>urn:ietf:params:scim:schemas:core:2.0:User</Exact>) whose values are called as the
        roles are here, such as <Exact>{groups ? "managed" : "developer"}</Exact>.
      </>,
      <>
        Switch SCIM on above, and assign people under <Term>Assignments</Term>
        {groups && (
          <>
            ; push groups under <Term>Push Groups</Term>, never those that people are assigned by
          </>
        )}
        .
      </>,
    ],
  },
];

export function ScimGuides() {
  const { organization } = useMe();
  const { data } = useQuery(scimQueries.status);
  const facts = {
    url: data?.base_url ?? `${window.location.origin}/scim/v2`,
    groups: organization.type === "enterprise",
  };
  return (
    <Section title="Set-up" note="Make a token first; switch SCIM on when the test has passed.">
      <Tabs.Root defaultValue={guides[0]?.id}>
        <Tabs.List aria-label="Identity provider" className="mb-3 flex gap-1 overflow-x-auto p-0.5">
          {guides.map(({ id, name }) => (
            <Tab key={id} value={id}>
              {name}
            </Tab>
          ))}
        </Tabs.List>
        {guides.map(({ id, name, steps }) => (
          <Tabs.Panel key={id} value={id}>
            <ol
              aria-label={`Steps in ${name}`}
              className="grid list-decimal gap-2.5 rounded-lg border border-line bg-surface py-4 pr-4 pl-9"
            >
              {steps(facts).map((step, index) => (
                <li key={index} className="max-w-[80ch] pl-1">
                  {step}
                </li>
              ))}
            </ol>
          </Tabs.Panel>
        ))}
      </Tabs.Root>
    </Section>
  );
}
