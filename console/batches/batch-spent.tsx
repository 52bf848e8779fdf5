// What a batch cost and took, the models that worked on it, and who made it.
import { Bot, CircleUser, KeyRound, type LucideIcon } from "lucide-react";
import type { BatchTotals } from "../kit/server/api.ts";
import { useMe } from "../kit/server/queries.ts";
import { Fact } from "../kit/value/facts.tsx";
import { Amount } from "../kit/value/money.tsx";
import { Name } from "../kit/value/name.tsx";
import { useNames } from "../kit/value/names.ts";
import { formatCount, plural } from "../../client/text/words.ts";
import type { ToldBatch } from "./batch.ts";

const creators: Record<BatchTotals["creator"]["type"], [LucideIcon, string]> = {
  user: [CircleUser, "Person"],
  service_account: [Bot, "Service account"],
  api_key: [KeyRound, "API key"],
};

export function Creator({ batch: { totals } }: { batch: ToldBatch }) {
  const { user } = useMe();
  if (totals === undefined) return <span className="text-soft">Unknown</span>;
  const { type, id, name } = totals.creator;
  const [Icon, noun] = creators[type];
  return (
    <span className="inline-flex max-w-full min-w-0 items-center gap-1.5 align-bottom">
      <Icon size={14} aria-hidden className="shrink-0 text-soft" />
      <Name
        id={id}
        known={id === user.id ? `${user.name} (you)` : name}
        title={`${noun} ${id}`}
        unnamed={`${noun} …${id.slice(-6)}`}
      />
    </span>
  );
}

const unknownSpent = "Not counted";
const whyUnknown = "It ended before batches were counted one by one; reports of usage have it.";

/** In a list: what it cost, and the tokens under it. */
export function SpentCell({ batch: { totals } }: { batch: ToldBatch }) {
  if (totals === undefined) return null;
  const { spent } = totals;
  if (spent === null)
    return (
      <span className="text-sm text-soft" title={whyUnknown}>
        {unknownSpent}
      </span>
    );
  return (
    <span className="grid text-sm">
      <Amount hundredths={spent.amount} currency={spent.currency} />
      <span className="whitespace-nowrap text-soft" title="Tokens of input and of output">
        {formatCount(inputOf(spent))} in, {formatCount(spent.output_tokens)} out
      </span>
    </span>
  );
}

type Spent = NonNullable<BatchTotals["spent"]>;

const inputOf = ({ input_tokens, cache_read_tokens, cache_write_tokens }: Spent): number =>
  input_tokens + cache_read_tokens + cache_write_tokens;

/** Their names in a line. */
export function Models({ batch: { totals } }: { batch: ToldBatch }) {
  const nameOf = useNames();
  const models = totals?.models ?? [];
  if (models.length === 0) return "No model yet";
  return models.map(({ model }) => nameOf(model, "model") ?? model).join(", ");
}

/** On its own page: all of it, and where more than one model worked on it, each. */
export function BatchSpent({ batch }: { batch: ToldBatch }) {
  const { totals } = batch;
  if (totals === undefined) return null;
  const { spent, models } = totals;
  return (
    <dl className="flex flex-wrap gap-x-6 gap-y-2 border-t border-line pt-3">
      <Fact name="Created by">
        <Creator batch={batch} />
      </Fact>
      <Fact name="Cost">
        {spent === null ? (
          <span title={whyUnknown}>{unknownSpent}</span>
        ) : (
          <Amount hundredths={spent.amount} currency={spent.currency} />
        )}
        {spent !== null && Number(spent.list_amount) > Number(spent.amount) && (
          <span className="block text-sm font-normal text-soft">
            <Amount hundredths={spent.list_amount} currency={spent.currency} /> as messages
          </span>
        )}
      </Fact>
      {spent !== null && <Tokens spent={spent} />}
      {models.length === 1 && (
        <Fact name="Model">
          <Name id={models[0]?.model ?? ""} kind="model" />
        </Fact>
      )}
      {models.length > 1 && spent !== null && (
        <div className="w-full">
          <dt className="text-sm text-soft">By model</dt>
          {models.map(({ model, attempts, amount, input_tokens, output_tokens }) => (
            <dd key={model} className="flex flex-wrap items-center gap-x-2 text-sm">
              <span className="min-w-40 font-medium">
                <Name id={model} kind="model" />
              </span>
              <Amount hundredths={amount} currency={spent.currency} />
              <span className="text-soft">
                {plural(attempts, "attempt")}, {formatCount(input_tokens)} in,{" "}
                {formatCount(output_tokens)} out
              </span>
            </dd>
          ))}
        </div>
      )}
    </dl>
  );
}

const Tokens = ({ spent }: { spent: Spent }) => (
  <>
    <Fact name="Input">{plural(spent.input_tokens, "token")}</Fact>
    <Fact name="Output">{plural(spent.output_tokens, "token")}</Fact>
    {spent.cache_read_tokens > 0 && (
      <Fact name="Read from cache">{plural(spent.cache_read_tokens, "token")}</Fact>
    )}
    {spent.cache_write_tokens > 0 && (
      <Fact name="Written to cache">{plural(spent.cache_write_tokens, "token")}</Fact>
    )}
  </>
);
