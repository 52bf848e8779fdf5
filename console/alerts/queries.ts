// What the pages read of alerts.
import { infiniteQueryOptions, queryOptions } from "@tanstack/react-query";
import { api, type AlertState } from "../kit/server/api.ts";
import { queryClient } from "../kit/server/queries.ts";

const rowsPerPage = 50;
/** The server looks as often. */
const lookMs = 30_000;

export const alertQueries = {
  list: (state: AlertState) =>
    infiniteQueryOptions({
      queryKey: ["alerts", state],
      queryFn: ({ pageParam }) =>
        api.alerts.list({ query: { state, limit: rowsPerPage, page: pageParam } }),
      initialPageParam: undefined as string | undefined,
      getNextPageParam: (page) => page.next_page ?? undefined,
      refetchInterval: lookMs,
    }),
  rules: queryOptions({ queryKey: ["alerts", "rules"], queryFn: () => api.alert_rules.list() }),
  settings: queryOptions({
    queryKey: ["alerts", "settings"],
    queryFn: () => api.alert_settings.retrieve(),
  }),
};

/** Awaited before a dialog closes: what is opened from the page next begins with what holds now. */
export const renewAlerts = () => queryClient.invalidateQueries({ queryKey: ["alerts"] });
