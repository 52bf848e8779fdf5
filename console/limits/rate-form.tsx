// Setting the rates of one group of models; an empty field takes away what was set.
import { useState, type FormEvent } from "react";
import { useAct } from "../kit/form/act.ts";
import { api, type Limiter, type RateLimit } from "../kit/server/api.ts";
import { isSetHere, limiterWords, renewLimits } from "./limits.ts";
import { Button } from "../kit/page/button.tsx";
import { Dialog, DialogActions } from "../kit/form/dialog.tsx";
import { TextField } from "../kit/form/field.tsx";
import { say } from "../kit/page/say.ts";
import { TroubleBox } from "../kit/page/trouble-box.tsx";

interface Props {
  rate: RateLimit;
  /** Of the organization or the workspace. */
  name: string;
  onClose: () => void;
}

export function RateForm({
  rate,
  ...props
}: Omit<Props, "rate"> & { rate: RateLimit | undefined }) {
  return (
    <Dialog
      open={rate !== undefined}
      onClose={props.onClose}
      title={`Rates of ${rate?.group.display_name ?? ""}`}
      description={
        rate?.workspace_id === null
          ? `A minute, for ${props.name} and all its workspaces together.`
          : `A minute, for ${props.name}. The organization's hold beside them, never instead.`
      }
    >
      {rate !== undefined && <Form key={rate.group.id} rate={rate} {...props} />}
    </Dialog>
  );
}

const perMinuteMax = 1_000_000_000_000;
const wrongNumber = "Write a whole number up to 1,000,000,000,000, or nothing.";

/** Null: nothing is set; undefined: it is no number. */
function valueOf(typed: string): number | null | undefined {
  const text = typed.trim();
  if (text === "") return null;
  // Between groups of three only: 12,5 must not become 125.
  if (!/^(\d+|\d{1,3}([,\s]\d{3})+)$/.test(text)) return undefined;
  const value = Number(text.replaceAll(/[,\s]/g, ""));
  return value > perMinuteMax ? undefined : value;
}

function Form({ rate, name, onClose }: Props) {
  const [typed, setTyped] = useState<Record<string, string>>(() =>
    Object.fromEntries(
      rate.limits.map((each) => [each.type, isSetHere(each, rate) ? String(each.value) : ""]),
    ),
  );
  const [tried, setTried] = useState(false);
  const save = useAct({
    mutationFn: (limits: { type: Limiter["type"]; value: number | null }[]) =>
      api.rate_limits.set({
        body: { workspace_id: rate.workspace_id, group: rate.group.id, limits },
      }),
    onSuccess: async () => {
      await renewLimits();
      say.good(`The rates of ${name} hold`);
      onClose();
    },
  });
  function submit(event: FormEvent): void {
    event.preventDefault();
    setTried(true);
    const limits = rate.limits.flatMap(({ type }) => {
      const value = valueOf(typed[type] ?? "");
      return value === undefined ? [] : [{ type, value }];
    });
    if (limits.length === rate.limits.length) save.mutate(limits);
  }
  return (
    <form onSubmit={submit} noValidate className="grid gap-4">
      {rate.limits.map((each) => {
        const text = typed[each.type] ?? "";
        return (
          <TextField
            key={each.type}
            label={`${limiterWords[each.type]} a minute`}
            inputMode="numeric"
            autoComplete="off"
            hint={hintOf(each, rate)}
            error={tried && valueOf(text) === undefined ? wrongNumber : undefined}
            value={text}
            onChange={({ target }) =>
              setTyped((before) => ({ ...before, [each.type]: target.value }))
            }
          />
        );
      })}
      {save.error !== null && <TroubleBox error={save.error} />}
      <DialogActions>
        <Button onClick={onClose}>Cancel</Button>
        <Button type="submit" look="primary" busy={save.isPending}>
          Save
        </Button>
      </DialogActions>
    </form>
  );
}

function hintOf(limit: Limiter, rate: RateLimit): string {
  if (isSetHere(limit, rate)) return "Empty: what is set here is taken away.";
  return `Empty: ${limit.value.toLocaleString("en")} holds on.`;
}
