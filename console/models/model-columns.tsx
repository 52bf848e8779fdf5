// What the list of models shows of each: what it takes, costs, and where it is asked.
import { Link } from "@tanstack/react-router";
import { buttonColumn, nameColumn } from "../kit/list/columns.tsx";
import type { Column } from "../kit/list/table.tsx";
import type { Lifecycle, ModelEntry, ModelInfo } from "../kit/server/api.ts";
import { Badge, type Tone } from "../kit/value/badge.tsx";
import { perMillion } from "../kit/value/money.ts";
import { plural } from "../../client/text/words.ts";
import { spaced } from "../kit/value/words.ts";
import { effortsOf, thinkingOf } from "./capabilities.ts";
import { changeModel } from "./model-form.tsx";
import { removeModel } from "./removals.tsx";

/** As everybody sees it, and as those see it who may change it. */
export interface ModelRow {
  info: ModelInfo;
  entry: ModelEntry | undefined;
}

const lifecycleTones: Record<Lifecycle, Tone> = {
  active: "good",
  deprecated: "warn",
  retired: "neutral",
};

export const LifecycleBadge = ({ of: { lifecycle } }: { of: ModelInfo }) => (
  <Badge tone={lifecycleTones[lifecycle]}>{spaced(lifecycle)}</Badge>
);

export const modelColumns = (mayTry: boolean, mayWrite: boolean): Column<ModelRow>[] => [
  nameColumn({
    title: "Model",
    className: "",
    name: ({ info }) => info.display_name,
    below: ({ info }) => <span className="font-mono text-xs">{info.id}</span>,
    beside: ({ info: { id, display_name: name, lifecycle } }) =>
      mayTry &&
      lifecycle !== "retired" && (
        <Link
          to="/playground"
          search={{ model: id }}
          aria-label={`Try ${name}`}
          className="text-sm font-normal text-soft underline underline-offset-2 hover:text-ink"
        >
          Try
        </Link>
      ),
    opens: ({ info }) => ({ to: "/models/$id", params: { id: info.id } }),
  }),
  { title: "Takes", cell: ({ info }) => <Capabilities info={info} /> },
  {
    title: "Tokens",
    cell: ({ info: { max_input_tokens: input, max_tokens: output } }) => (
      <span className="text-sm whitespace-nowrap">
        {input === null ? "any" : input.toLocaleString("en")} in
        <span className="md:block max-md:ml-2">
          {output === null ? "any" : output.toLocaleString("en")} out
        </span>
      </span>
    ),
  },
  {
    title: "Status",
    cell: ({ info }) => <LifecycleBadge of={info} />,
  },
  ...(mayWrite ? forWriters : []),
];

const forWriters: Column<ModelRow>[] = [
  { title: "Provider", cell: ({ entry }) => <Origin entry={entry} /> },
  { title: "Per million", cell: ({ entry }) => <Prices entry={entry} /> },
  buttonColumn(
    ({ info }) => info.id,
    ({ entry }) =>
      entry === undefined || entry.origin === "settings"
        ? []
        : [
            { label: "Change", run: () => changeModel(entry) },
            {
              label: "Remove",
              run: () => removeModel(entry.id),
              when: entry.origin === "console",
            },
          ],
  ),
];

export function Capabilities({ info }: { info: ModelInfo }) {
  const { image_input, pdf_input, structured_outputs } = info.capabilities;
  const levels = effortsOf(info);
  const thinking = thinkingOf(info).filter((type) => type !== "disabled");
  const words = [
    levels.length > 0 && `effort to ${levels.at(-1)}`,
    thinking.length > 0 &&
      `thinking ${thinking.map((type) => spaced(type).toLowerCase()).join(", ")}`,
    image_input.supported && "images",
    pdf_input.supported && "documents",
    structured_outputs.supported && "structured outputs",
    (info.allowed_fallback_models ?? []).length > 0 &&
      plural((info.allowed_fallback_models ?? []).length, "fallback"),
  ].filter((word) => word !== false);
  return (
    <span className="flex flex-wrap gap-1 *:whitespace-normal">
      {words.length === 0 && <span className="text-soft">Text</span>}
      {words.map((word) => (
        <Badge key={word}>{word}</Badge>
      ))}
    </span>
  );
}

const originWords = {
  "built-in": "comes with Plinth",
  console: "set here",
  settings: "in the settings file",
};

export function Origin({ entry }: { entry: ModelEntry | undefined }) {
  if (entry === undefined) return null;
  const { upstream, upstream_model, id, aliases = [], origin } = entry;
  return (
    <span className="block text-sm">
      {upstream}
      {upstream_model !== undefined && upstream_model !== id && ` as ${upstream_model}`}
      <span className="block text-soft">{originWords[origin]}</span>
      {aliases.length > 0 && (
        <span className="block text-soft wrap-anywhere" title={aliases.join("\n")}>
          {plural(aliases.length, "alias", "aliases")}: {aliases.slice(0, 2).join(", ")}
          {aliases.length > 2 && ", …"}
        </span>
      )}
    </span>
  );
}

function Prices({ entry }: { entry: ModelEntry | undefined }) {
  const prices = entry?.prices;
  if (prices === undefined) return <span className="text-soft">None</span>;
  return (
    <span className="text-sm whitespace-nowrap" title="US dollars for a million tokens">
      {perMillion(prices.input)} in
      <span className="md:block max-md:ml-2">{perMillion(prices.output)} out</span>
    </span>
  );
}
