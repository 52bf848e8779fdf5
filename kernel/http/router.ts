// From method and path to route: one tree of segments, fixed names before parameters.
import assert from "node:assert/strict";
import type { Route } from "./route.ts";

interface Node {
  fixed: Map<string, Node>;
  param?: Node;
  routes: Map<string, Route>;
}

export type Match =
  | { found: "route"; route: Route; params: Record<string, string> }
  | { found: "path"; allow: string[] }
  | { found: "nothing" };

export interface Router {
  match(method: string, path: string): Match;
}

export function makeRouter(routes: readonly Route[]): Router {
  const root = emptyNode();
  const operations = new Set<string>();
  for (const route of routes) {
    assert(!operations.has(route.operation), `two routes are named ${route.operation}`);
    operations.add(route.operation);
    insert(root, route);
  }
  return {
    match: (method, path) => {
      const values: string[] = [];
      const node = path.startsWith("/") ? walk(root, path, 1, values) : undefined;
      if (node === undefined) return { found: "nothing" };
      const route =
        node.routes.get(method) ?? (method === "HEAD" ? node.routes.get("GET") : undefined);
      if (route === undefined) return { found: "path", allow: allowed(node) };
      return { found: "route", route, params: nameParams(route, values) };
    },
  };
}

function insert(root: Node, route: Route): void {
  let node = root;
  for (const segment of route.path.slice(1).split("/")) {
    if (segment.startsWith("{")) {
      node = node.param ??= emptyNode();
    } else {
      const next = node.fixed.get(segment) ?? emptyNode();
      node.fixed.set(segment, next);
      node = next;
    }
  }
  assert(!node.routes.has(route.method), `two routes for ${route.method} ${route.path}`);
  node.routes.set(route.method, route);
}

/** Backtracks: `/a/{id}/b` is found beside `/a/fixed/c`. */
function walk(node: Node, path: string, from: number, values: string[]): Node | undefined {
  const slash = path.indexOf("/", from);
  const end = slash === -1 ? path.length : slash;
  const segment = path.slice(from, end);
  const last = slash === -1;

  const fixed = node.fixed.get(segment);
  const viaFixed = fixed && (last ? hasRoutes(fixed) : walk(fixed, path, end + 1, values));
  if (viaFixed) return viaFixed;
  if (node.param === undefined || segment === "") return undefined;

  values.push(segment);
  const viaParam = last ? hasRoutes(node.param) : walk(node.param, path, end + 1, values);
  if (viaParam === undefined) values.pop();
  return viaParam;
}

const hasRoutes = (node: Node) => (node.routes.size > 0 ? node : undefined);
const emptyNode = (): Node => ({ fixed: new Map(), routes: new Map() });

function allowed(node: Node): string[] {
  const methods = [...node.routes.keys()];
  return methods.includes("GET") ? [...methods, "HEAD"] : methods;
}

const namesByRoute = new WeakMap<Route, string[]>();

function nameParams(route: Route, values: string[]): Record<string, string> {
  let names = namesByRoute.get(route);
  if (names === undefined) {
    names = [...route.path.matchAll(/\{(\w+)\}/g)].map((match) => match[1] ?? "");
    namesByRoute.set(route, names);
  }
  const params: Record<string, string> = {};
  names.forEach((name, index) => {
    params[name] = values[index] ?? "";
  });
  return params;
}
