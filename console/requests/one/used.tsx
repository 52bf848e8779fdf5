// What a request used, by class of token, and what that cost.
import { Card, Section } from "../../kit/page/page-header.tsx";
import type { LoggedRequest } from "../../kit/server/api.ts";
import { Fact } from "../../kit/value/facts.tsx";
import { dollarsText } from "../../kit/value/money.ts";

type Usage = NonNullable<LoggedRequest["usage"]>;

const classes: readonly [keyof Usage, string][] = [
  ["input_tokens", "Input"],
  ["cache_creation_input_tokens", "Written to the cache"],
  ["cache_read_input_tokens", "Read from the cache"],
  ["output_tokens", "Output"],
];

export function Used({ usage, cost }: { usage: Usage; cost: LoggedRequest["cost"] }) {
  return (
    <Section title="Tokens and cost">
      <Card>
        <dl className="grid grid-cols-2 gap-x-6 gap-y-3 sm:grid-cols-3 lg:grid-cols-5">
          {classes.map(([name, title]) => (
            <Fact key={name} name={title}>
              <span className="tabular-nums">{usage[name].toLocaleString("en")}</span>
            </Fact>
          ))}
          <Fact name="Cost">
            {cost === null ? (
              "None"
            ) : (
              <span className="tabular-nums">
                {dollarsText(cost.amount)}{" "}
                <span className="text-sm font-normal text-soft">{cost.currency}</span>
              </span>
            )}
          </Fact>
        </dl>
      </Card>
    </Section>
  );
}
