// What a rule takes, and what it gives.
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { scopeName, spanText, type Rule } from "../federation.ts";
import { CopyButton } from "../../kit/value/copy-button.tsx";
import { Card } from "../../kit/page/page-header.tsx";

export function RuleFacts({ rule }: { rule: Rule }) {
  const { match, target } = rule;
  return (
    <div className="mb-8 grid gap-3 lg:grid-cols-2">
      <Facts title="It takes tokens of">
        <Fact name="Issuer">{rule.issuer_name}</Fact>
        {match.subject_prefix !== null && (
          <Fact name="Subject">
            <Exact>{match.subject_prefix}</Exact>
          </Fact>
        )}
        {match.claims !== null && (
          <Fact name="Claims">
            {Object.entries(match.claims).map(([name, value]) => (
              <Exact key={name}>{`${name}: ${value}`}</Exact>
            ))}
          </Fact>
        )}
        {match.condition !== null && (
          <Fact name="Condition">
            <Exact>{match.condition}</Exact>
          </Fact>
        )}
        <Fact name="Audience">
          <Exact>{match.audience ?? window.location.origin}</Exact>
        </Fact>
      </Facts>
      <Facts title="It gives for them">
        <Fact name="Acts as">
          <Link
            to="/service-accounts/$id"
            params={{ id: target.service_account_id }}
            className="text-accent underline-offset-2 wrap-anywhere hover:underline"
          >
            {target.service_account_name ?? target.service_account_id}
          </Link>
        </Fact>
        <Fact name="Scope">
          {scopeName(rule.oauth_scope)}
          <Exact>{rule.oauth_scope}</Exact>
        </Fact>
        <Fact name="Lives">Up to {spanText(rule.token_lifetime_seconds)}</Fact>
        <Fact name="Id">
          <span className="inline-flex flex-wrap items-center gap-2">
            <code className="font-mono text-sm break-all">{rule.id}</code>
            <CopyButton text={rule.id} label="Copy id" />
          </span>
        </Fact>
      </Facts>
    </div>
  );
}

function Facts({ title, children }: { title: string; children: ReactNode }) {
  return (
    <Card>
      <h2 className="mb-3 font-semibold">{title}</h2>
      <dl className="grid gap-x-6 gap-y-2 sm:grid-cols-[auto_1fr]">{children}</dl>
    </Card>
  );
}

const Fact = ({ name, children }: { name: string; children: ReactNode }) => (
  <div className="contents">
    <dt className="text-soft">{name}</dt>
    <dd className="min-w-0 max-sm:mb-2">{children}</dd>
  </div>
);

const Exact = ({ children }: { children: ReactNode }) => (
  <code className="block font-mono text-sm break-all">{children}</code>
);
