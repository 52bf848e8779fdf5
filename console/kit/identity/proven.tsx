// Acts that ask who sits at the browser: refused ones are done again once that is proved.
import { useState, type ReactNode } from "react";
import { ConfirmIdentity } from "./confirm-identity.tsx";
import { useAct } from "../form/act.ts";
import { ApiError } from "../server/api.ts";

interface Act<Data, Asked> {
  mutationFn: (asked: Asked) => Promise<Data>;
  /** Where it gives a promise the act is under way until that is kept. */
  onSuccess: (data: Data, asked: Asked) => void | Promise<void>;
  onError?: (error: Error) => void;
  gcTime?: number;
}

const asksWho = (error: unknown) => error instanceof ApiError && error.code === "proof_needed";

/** `proof` stands anywhere on the page: it is the dialog, while it is needed. */
export function useProvenAct<Data, Asked = void>({ onError, ...options }: Act<Data, Asked>) {
  const [asked, setAsked] = useState<{ again: Asked }>();
  const act = useAct<Data, Asked>({
    ...options,
    onError: (error, again) => (asksWho(error) ? setAsked({ again }) : onError?.(error)),
  });
  const proof: ReactNode = asked !== undefined && (
    <ConfirmIdentity
      onClose={() => setAsked(undefined)}
      onProved={() => {
        setAsked(undefined);
        act.mutate(asked.again);
      }}
    />
  );
  return { ...act, error: asksWho(act.error) ? null : act.error, proof };
}
