// A change that is under way is not begun a second time, however fast somebody presses.
import {
  useMutation,
  type UseMutationOptions,
  type UseMutationResult,
} from "@tanstack/react-query";
import { useEffect, useRef } from "react";

/** The button is disabled with the next picture only; a second press may come before that. */
export function useAct<Data, Asked = void>(
  options: UseMutationOptions<Data, Error, Asked>,
): Pick<UseMutationResult<Data, Error, Asked>, "error" | "isPending"> & {
  mutate: (asked: Asked) => void;
} {
  const running = useRef(false);
  const { mutate, isPending, error, submittedAt } = useMutation(options);
  useEffect(() => {
    if (!isPending) running.current = false;
  }, [isPending, submittedAt]);
  return {
    error,
    isPending,
    mutate: (asked) => {
      if (running.current) return;
      running.current = true;
      mutate(asked);
    },
  };
}
