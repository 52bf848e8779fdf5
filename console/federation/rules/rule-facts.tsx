// What a rule takes, and what it gives.
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { scopeName, spanText, type Rule } from "../federation.ts";
import { Card } from "../../kit/page/page-header.tsx";
import { FactRow, IdRow } from "../../kit/value/facts.tsx";

export function RuleFacts({ rule }: { rule: Rule }) {
  const { match, target } = rule;
  return (
    <div className="mb-8 grid gap-3 lg:grid-cols-2">
      <Facts title="It takes tokens of">
        <FactRow name="Issuer">{rule.issuer_name}</FactRow>
        {match.subject_prefix !== null && (
          <FactRow name="Subject">
            <Exact>{match.subject_prefix}</Exact>
          </FactRow>
        )}
        {match.claims !== null && (
          <FactRow name="Claims">
            {Object.entries(match.claims).map(([name, value]) => (
              <Exact key={name}>{`${name}: ${value}`}</Exact>
            ))}
          </FactRow>
        )}
        {match.condition !== null && (
          <FactRow name="Condition">
            <Exact>{match.condition}</Exact>
          </FactRow>
        )}
        <FactRow name="Audience">
          <Exact>{match.audience ?? window.location.origin}</Exact>
        </FactRow>
      </Facts>
      <Facts title="It gives for them">
        <FactRow name="Acts as">
          <Link
            to="/service-accounts/$id"
            params={{ id: target.service_account_id }}
            className="text-accent underline-offset-2 wrap-anywhere hover:underline"
          >
            {target.service_account_name ?? target.service_account_id}
          </Link>
        </FactRow>
        <FactRow name="Scope">
          {scopeName(rule.oauth_scope)}
          <Exact>{rule.oauth_scope}</Exact>
        </FactRow>
        <FactRow name="Lives">Up to {spanText(rule.token_lifetime_seconds)}</FactRow>
        <IdRow id={rule.id} />
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

const Exact = ({ children }: { children: ReactNode }) => (
  <code className="block font-mono text-sm break-all">{children}</code>
);
