// Asking for a higher limit of one's own.
import { useState, type FormEvent } from "react";
import { useAct } from "../../kit/form/act.ts";
import { api, type Period } from "../../kit/server/api.ts";
import { renewLimits } from "../limits.ts";
import { periodWords } from "./spend.ts";
import { Button } from "../../kit/page/button.tsx";
import { Dialog, DialogActions } from "../../kit/form/dialog.tsx";
import { AreaField, SelectField } from "../../kit/form/field.tsx";
import { say } from "../../kit/page/say.ts";
import { TroubleBox } from "../../kit/page/trouble-box.tsx";

const reasonCharactersMax = 500;

interface Props {
  periods: readonly Period[];
  onClose: () => void;
}

export function AskForMore({ open, ...rest }: Props & { open: boolean }) {
  return (
    <Dialog
      open={open}
      onClose={rest.onClose}
      title="Ask for more"
      description="Whoever may set limits sees it on the page Limits and decides. Until then your limit stays."
    >
      <Form {...rest} />
    </Dialog>
  );
}

function Form({ periods, onClose }: Props) {
  const [chosen, setChosen] = useState<Period>();
  const [reason, setReason] = useState("");
  const period = chosen ?? periods.at(-1);
  const ask = useAct({
    mutationFn: (asked: Period) => {
      const said = reason.trim();
      return api.own_spend.ask({ body: { period: asked, ...(said !== "" && { reason: said }) } });
    },
    onSuccess: async () => {
      await renewLimits();
      say.good("You have asked for more");
      onClose();
    },
    onError: renewLimits,
  });
  function submit(event: FormEvent): void {
    event.preventDefault();
    if (period !== undefined) ask.mutate(period);
  }
  return (
    <form onSubmit={submit} className="grid gap-4">
      <SelectField
        label="For which limit"
        value={period}
        onChange={({ target }) => setChosen(target.value as Period)}
      >
        {periods.map((each) => (
          <option key={each} value={each}>
            That of the {periodWords[each]}
          </option>
        ))}
      </SelectField>
      <AreaField
        label="Why, and how much"
        hint="May stay empty; it helps whoever decides."
        rows={3}
        maxLength={reasonCharactersMax}
        value={reason}
        onChange={({ target }) => setReason(target.value)}
      />
      {ask.error !== null && <TroubleBox error={ask.error} />}
      <DialogActions>
        <Button onClick={onClose}>Cancel</Button>
        <Button type="submit" look="primary" busy={ask.isPending}>
          Ask
        </Button>
      </DialogActions>
    </form>
  );
}
