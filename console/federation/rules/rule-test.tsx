// The box "test this token": each check of an exchange with its sentence. The token goes to the server alone.
import { CircleCheck, CircleMinus, CircleX, type LucideIcon } from "lucide-react";
import { useState, type SyntheticEvent } from "react";
import { api } from "../../kit/server/api.ts";
import { spanText, useWorkspaces, type Rule, type RuleTest } from "../federation.ts";
import { Button } from "../../kit/page/button.tsx";
import { AreaField } from "../../kit/form/field.tsx";
import { Card, Section } from "../../kit/page/page-header.tsx";
import { TroubleBox } from "../../kit/page/trouble-box.tsx";

type State = RuleTest["checks"][number]["state"];

export function TestToken({ rule }: { rule: Rule }) {
  const { found, error, isBusy, test } = useTest(rule.id);
  return (
    <Section
      title="Test this token"
      note="Goes through every check. It makes no token and uses up nothing, so the workload can still present it."
    >
      <Card>
        <form onSubmit={test} className="grid gap-3">
          <AreaField
            label="Token"
            name="assertion"
            required
            rows={3}
            maxLength={32_000}
            autoComplete="off"
            autoCapitalize="off"
            spellCheck={false}
            className="font-mono text-sm break-all"
            placeholder="eyJ…"
            hint="What the platform of the workload signed. It is not kept, and leaves the box with the test."
          />
          <div>
            <Button type="submit" busy={isBusy}>
              Test token
            </Button>
          </div>
        </form>
        <div role="status" className="mt-4 empty:hidden">
          {found !== undefined && <Found found={found} />}
        </div>
        {error !== null && (
          <div className="mt-4">
            <TroubleBox error={error} />
          </div>
        )}
      </Card>
    </Section>
  );
}

/** By hand: a mutation would remember what it was asked with. */
function useTest(ruleId: string) {
  const [found, setFound] = useState<RuleTest>();
  const [error, setError] = useState<unknown>(null);
  const [isBusy, setIsBusy] = useState(false);
  async function ask(assertion: string): Promise<void> {
    setIsBusy(true);
    setFound(undefined);
    setError(null);
    try {
      const params = { federation_rule_id: ruleId };
      setFound(await api.federation_rules.test({ params, body: { assertion } }));
    } catch (thrown) {
      setError(thrown);
    }
    setIsBusy(false);
  }
  function test(event: SyntheticEvent<HTMLFormElement>): void {
    event.preventDefault();
    const assertion = new FormData(event.currentTarget).get("assertion");
    event.currentTarget.reset();
    if (!isBusy && typeof assertion === "string") void ask(assertion.trim());
  }
  return { found, error, isBusy, test };
}

const looks: Record<State, { icon: LucideIcon; tone: string; word: string }> = {
  passed: { icon: CircleCheck, tone: "text-good", word: "Passed" },
  failed: { icon: CircleX, tone: "text-bad", word: "Failed" },
  skipped: { icon: CircleMinus, tone: "text-soft", word: "Skipped" },
};

function Found({ found }: { found: RuleTest }) {
  const { nameOf } = useWorkspaces();
  const { passed, workspace_id: workspace, expires_in: life, claims } = found;
  const where = workspace === null ? "above workspaces" : `in ${nameOf(workspace)}`;
  const failed = found.checks.filter(({ state }) => state === "failed").length;
  return (
    <>
      <p className={`mb-3 font-semibold ${passed ? "text-good" : "text-bad"}`}>
        {passed
          ? `It would be exchanged, for a token that works ${where} and lives ${spanText(life ?? 0)}.`
          : `It would be refused: ${failed === 1 ? "one check fails" : `${failed} checks fail`}.`}
      </p>
      <ul aria-label="Checks" className="grid gap-1.5">
        {found.checks.map(({ name, title, state, detail }) => {
          const { icon: Icon, tone, word } = looks[state];
          return (
            <li key={name} className="flex items-start gap-2.5">
              <Icon size={18} aria-hidden className={`mt-0.5 shrink-0 ${tone}`} />
              <span className="min-w-0">
                <span className="sr-only">{word}: </span>
                {title}
                {state === "skipped" && <span className="text-sm text-soft"> (skipped)</span>}
                {detail !== null && (
                  <span className="block text-sm text-soft wrap-anywhere">{detail}</span>
                )}
              </span>
            </li>
          );
        })}
      </ul>
      {claims !== null && (
        <details className="mt-4">
          <summary className="cursor-pointer font-medium">What it says</summary>
          <pre
            tabIndex={0}
            role="region"
            aria-label="Claims"
            className="mt-2 overflow-x-auto rounded-md border border-line bg-sunken p-3 font-mono text-sm"
          >
            {JSON.stringify(claims, null, 2)}
          </pre>
        </details>
      )}
    </>
  );
}
