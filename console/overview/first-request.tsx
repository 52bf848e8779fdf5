// How to send the first request: shown until a model was asked once.
import { Link } from "@tanstack/react-router";
import { Card, Section } from "../kit/page/page-header.tsx";
import { useMe, useServerUrl } from "../kit/server/queries.ts";
import { SnippetTabs } from "../kit/value/snippet.tsx";
import { firstRequest } from "../kit/value/snippets.ts";

export function FirstRequest() {
  const url = useServerUrl();
  return (
    <Section title="First request" note={<WaysToAsk />}>
      <Card>
        <SnippetTabs snippets={firstRequest(url)} label="First request" />
      </Card>
    </Section>
  );
}

/** A key, from the page of keys or from a person who may make one; without one, the playground. */
function WaysToAsk() {
  const { permissions, organization } = useMe();
  return (
    <>
      Ask a model. You need{" "}
      {permissions.includes("api_keys:write") ? (
        <Link
          to="/keys"
          search={{ new: "api" }}
          className="text-accent underline underline-offset-2"
        >
          an API key
        </Link>
      ) : (
        `an API key: ask an owner of ${organization.name} for one`
      )}
      {permissions.includes("messages:use") && (
        <>
          , or try it in the{" "}
          <Link to="/playground" className="text-accent underline underline-offset-2">
            playground
          </Link>
        </>
      )}
      .
    </>
  );
}
