// A component follows a value that stands outside of all components.
import { useSyncExternalStore } from "react";
import type { SharedState } from "./shared-state.ts";

export const useShared = <T>({ subscribe, get }: SharedState<T>): T =>
  useSyncExternalStore(subscribe, get);
