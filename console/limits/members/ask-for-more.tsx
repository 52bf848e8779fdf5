// Asking for a higher limit of one's own.
import { AreaField } from "../../kit/form/field.tsx";
import { SelectField } from "../../kit/form/select.tsx";
import { Form, useForm } from "../../kit/form/form.tsx";
import { openDialog } from "../../kit/dialog/open-dialog.ts";
import { api, type Period } from "../../kit/server/api.ts";
import { renewLimits } from "../limits.ts";
import { periodWords } from "./spend.ts";

const reasonCharactersMax = 500;

export const askForMore = (periods: readonly Period[]): void =>
  openDialog({
    title: "Ask for more",
    description:
      "Whoever may set limits sees it on the page Limits and decides. Until then your limit stays.",
    body: <AskForm periods={periods} />,
  });

function AskForm({ periods }: { periods: readonly Period[] }) {
  const form = useForm({
    start: { period: periods.at(-1) ?? "monthly", reason: "" },
    save: ({ period, reason }) => {
      const said = reason.trim();
      return api.own_spend.ask({ body: { period, ...(said !== "" && { reason: said }) } });
    },
    done: () => "You have asked for more",
    renew: renewLimits,
    failed: renewLimits,
  });
  return (
    <Form form={form} label="Ask" isReady>
      <SelectField
        label="For which limit"
        choices={periods.map((each) => ({
          value: each,
          label: `That of the ${periodWords[each]}`,
        }))}
        {...form.choice("period")}
      />
      <AreaField
        label="Why, and how much"
        hint="May stay empty; it helps whoever decides."
        rows={3}
        maxLength={reasonCharactersMax}
        {...form.field("reason")}
      />
    </Form>
  );
}
