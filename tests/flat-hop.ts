// An attempt as tests write it down: its payer's fields beside its own.
import type { NewHop, Payer } from "../server/usage/module.ts";

export interface FlatHop extends Omit<NewHop, "payer">, Payer {}

export const hopOf = ({ id, requestId, reserveNano, at, ...payer }: FlatHop): NewHop => ({
  id,
  requestId,
  reserveNano,
  at,
  payer,
});
