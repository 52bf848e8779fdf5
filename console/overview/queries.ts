// What the overview reads, again and again while it is open.
import { keepPreviousData, queryOptions } from "@tanstack/react-query";
import type * as contract from "../../contract/types.ts";
import { api } from "../kit/server/api.ts";

export type Overview = contract.Overview;
export type Period = NonNullable<Overview["top"]>["period"];

export const overviewQuery = (period: Period) =>
  queryOptions({
    queryKey: ["overview", "whole", period],
    queryFn: () => api.organizations.overview({ query: { period } }),
    refetchInterval: 30_000,
    placeholderData: keepPreviousData,
  });
