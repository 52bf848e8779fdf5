// What a file of batch requests holds: how many, for which models, what is wrong, and what the first ones look like.
import { TriangleAlert } from "lucide-react";
import type { Preview, Report } from "./batch-file.ts";
import { bytesText } from "../../kit/value/sizes.ts";
import { plural } from "../../../client/text/words.ts";
import { Badge } from "../../kit/value/badge.tsx";
import { Json } from "../../messages/message-blocks.tsx";
import { Fact } from "../../kit/value/facts.tsx";
import { Card } from "../../kit/page/page-header.tsx";

export function BatchReport({ report }: { report: Report }) {
  const { form, requests, bodyBytes, models, problemsInAll, previews } = report;
  return (
    <>
      {problemsInAll > 0 && <Problems report={report} />}
      <Card>
        <dl className="flex flex-wrap gap-x-8 gap-y-3">
          <Fact name="Requests">{requests.toLocaleString("en")}</Fact>
          <Fact name="To be sent">{bytesText(bodyBytes)}</Fact>
          <Fact name="Form">{form === "lines" ? "One request a line" : "Body of the API"}</Fact>
          {models.length > 0 && (
            <Fact name="Models">
              <Models models={models} />
            </Fact>
          )}
        </dl>
      </Card>
      {previews.length > 0 && <First previews={previews} requests={requests} />}
    </>
  );
}

const modelsShown = 12;

function Models({ models }: Pick<Report, "models">) {
  return (
    <span className="flex flex-wrap gap-1.5 pt-0.5">
      {models.slice(0, modelsShown).map(([name, count]) => (
        <Badge key={name} tone={name === "" ? "warn" : "neutral"}>
          {name === "" ? "no model named" : name}: {count.toLocaleString("en")}
        </Badge>
      ))}
      {models.length > modelsShown && (
        <span className="text-sm text-soft">and {models.length - modelsShown} more</span>
      )}
    </span>
  );
}

function Problems({ report: { problems, problemsInAll } }: { report: Report }) {
  const more = problemsInAll - problems.length;
  return (
    <section
      aria-label="Problems"
      role="alert"
      className="rounded-lg border border-bad-fill bg-surface"
    >
      <h3 className="flex items-center gap-2 border-b border-line px-4 py-2.5 font-medium text-bad">
        <TriangleAlert size={16} aria-hidden />
        {plural(problemsInAll, "problem")} in the file
      </h3>
      <ul tabIndex={0} aria-label="Problems by line" className="max-h-72 overflow-y-auto">
        {problems.map(({ line, sentence }, place) => (
          <li
            key={place}
            className="flex gap-3 border-line px-4 py-1.5 not-last:border-b max-sm:flex-col max-sm:gap-0"
          >
            <span className="w-24 shrink-0 font-mono text-sm text-soft">
              {line === undefined ? "File" : `Line ${line.toLocaleString("en")}`}
            </span>
            <span className="min-w-0 wrap-anywhere">{sentence}</span>
          </li>
        ))}
        {more > 0 && <li className="px-4 py-1.5 text-soft">and {plural(more, "problem")} more</li>}
      </ul>
    </section>
  );
}

function First({ previews, requests }: { previews: readonly Preview[]; requests: number }) {
  return (
    <section aria-label="First requests">
      <h3 className="mb-2 font-medium">
        {previews.length < requests ? `The first ${previews.length}` : "All of them"}
      </h3>
      <ul className="rounded-lg border border-line bg-surface">
        {previews.map((preview) => (
          <li key={preview.customId} className="border-line not-last:border-b">
            <One preview={preview} />
          </li>
        ))}
      </ul>
    </section>
  );
}

function One({ preview: { customId, model, maxTokens, said, json } }: { preview: Preview }) {
  return (
    <details>
      <summary className="px-4 py-2 max-md:min-h-10">
        <span className="font-mono text-sm wrap-anywhere">{customId}</span>{" "}
        <span className="text-sm text-soft">
          {[model, maxTokens !== "" && `at most ${maxTokens} tokens`]
            .filter((word) => word !== "" && word !== false)
            .join(", ")}
        </span>
        <span className="block truncate text-soft">{said}</span>
      </summary>
      {json === undefined ? (
        <p className="px-4 pb-3 text-soft">This request is too long to be shown here.</p>
      ) : (
        <Json label={`Request ${customId}`} text={json} />
      )}
    </details>
  );
}
