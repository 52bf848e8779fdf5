// What a person reads of their own sign-ins.
import { queryOptions } from "@tanstack/react-query";
import { api } from "../kit/server/api.ts";

export const accountQueries = {
  signIns: queryOptions({ queryKey: ["sign_ins"], queryFn: () => api.sign_ins.list() }),
  programSignIns: queryOptions({
    queryKey: ["program_sign_ins"],
    queryFn: () => api.program_sign_ins.list(),
  }),
};
