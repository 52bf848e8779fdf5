// Whether the screen is a phone's, for what a style sheet cannot decide.
import { useSyncExternalStore } from "react";

const phone = window.matchMedia("(max-width: 767px)");

function subscribe(listener: () => void): () => void {
  phone.addEventListener("change", listener);
  return () => phone.removeEventListener("change", listener);
}

export const useIsPhone = (): boolean => useSyncExternalStore(subscribe, () => phone.matches);
