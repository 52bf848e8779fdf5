// What the derived tests want to know of a route beyond the table, and the sentences for what is missing.
import type { Route } from "../../kernel/http/route.ts";
import { isSchema, pathParams } from "../../kernel/http/route.ts";
import type { Tenant } from "./callers.ts";

export interface Fixture {
  /** Makes what the path names, in this tenant. */
  params?: (tenant: Tenant) => Promise<Record<string, string>>;
  /** A body that the route takes. */
  body?: (tenant: Tenant) => unknown;
  /** What the query must say, as it stands in the address. */
  query?: string;
  /** Sees to it that the list holds two items or more. */
  items?: (tenant: Tenant) => Promise<void>;
  /** What the path names belongs to no tenant and is the same for all. */
  shared?: true;
  /** What the reply has when it worked; 200 when not named. */
  status?: number;
  /** Calls it in a tenant's name with a sign-in of its own, because the route ends it. */
  ownSignIn?: true;
  /** Why it is not called here, and which test calls it. */
  elsewhere?: string;
}

/** Sentences about routes that lack what their tests need, and about fixtures of no route. */
export function missingFixtures(
  table: readonly Route[],
  known: Readonly<Record<string, Fixture>>,
): string[] {
  const operations = new Set(table.map(({ operation }) => operation));
  return [
    ...table.flatMap((route): string[] => {
      const fixture = known[route.operation] ?? {};
      const wants: string[] = [];
      if (pathParams(route.path).length > 0 && fixture.params === undefined) wants.push("params");
      if (isSchema(route.body) && fixture.body === undefined) wants.push("body");
      if (isList(route) && fixture.items === undefined) wants.push("items");
      return wants.map(
        (field) => `${route.operation} has no ${field}: add it in tests/routes/fixtures*.ts.`,
      );
    }),
    ...Object.keys(known)
      .filter((operation) => !operations.has(operation))
      .map((operation) => `${operation} is no route any more: take it off the fixtures.`),
  ];
}

/** A list is what takes a limit. */
export const isList = ({ query }: Route) => query !== undefined && "limit" in query.properties;
