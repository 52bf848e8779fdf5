// What the pages read of the ways in.
import { queryOptions } from "@tanstack/react-query";
import { api } from "../kit/server/api.ts";

export const signInQueries = {
  singleSignOn: queryOptions({
    queryKey: ["sign_on", "connection"],
    queryFn: () => api.single_sign_on.read(),
  }),
  methods: queryOptions({
    queryKey: ["sign_on", "methods"],
    queryFn: () => api.sign_in_methods(),
  }),
  strangers: queryOptions({
    queryKey: ["sign_on", "strangers"],
    queryFn: () => api.single_sign_on.strangers(),
  }),
};
