// Which route a path finds, and which tables of routes do not start.
import assert from "node:assert/strict";
import { test } from "node:test";
import { openRoute, type Method, type Route } from "./route.ts";
import { makeRouter } from "./router.ts";
import { json } from "./output/reply.ts";

const named = (operation: string, method: Method, path: string): Route =>
  openRoute({ operation, method, path, summary: "A door.", reply: "none", handle: () => json({}) });

const router = makeRouter([
  named("doors.list", "GET", "/doors"),
  named("doors.get", "GET", "/doors/{door_id}"),
  named("doors.open", "POST", "/doors/{door_id}/open"),
  named("doors.front", "GET", "/doors/front"),
  named("doors.bell", "POST", "/doors/front/bell"),
  named("doors.ring", "POST", "/doors/front/{bell_id}/ring"),
  named("doors.key", "GET", "/doors/{door_id}/keys/{key_id}"),
]);

test("[HTP1] a fixed segment goes before a parameter, and what it does not lead to is looked for beside it", () => {
  const found = (method: string, path: string) => {
    const match = router.match(method, path);
    return match.found === "route" ? [match.route.operation, match.params] : match;
  };
  assert.deepEqual(found("GET", "/doors/front"), ["doors.front", {}]);
  assert.deepEqual(found("GET", "/doors/back"), ["doors.get", { door_id: "back" }]);
  assert.deepEqual(found("POST", "/doors/front/bell"), ["doors.bell", {}]);
  assert.deepEqual(found("POST", "/doors/front/open"), ["doors.open", { door_id: "front" }]);
  const both = { door_id: "front", key_id: "7" };
  assert.deepEqual(found("GET", "/doors/front/keys/7"), ["doors.key", both]);
  assert.deepEqual(found("HEAD", "/doors"), ["doors.list", {}]);
  assert.deepEqual(found("POST", "/doors"), { found: "path", allow: ["GET", "HEAD"] });
  for (const path of ["", "doors", "/", "/doors/", "/doors//open", "/doors/1/keys", "/Doors"])
    assert.deepEqual(found("GET", path), { found: "nothing" }, path);
});

test("[HTP1] two routes with one name, or one method and path, do not start", () => {
  const one = named("doors.get", "GET", "/doors/{door_id}");
  const other = named("doors.look", "GET", "/doors/{id}");
  assert.throws(() => makeRouter([one, { ...one, path: "/windows" }]), /are named doors\.get/);
  assert.throws(() => makeRouter([one, other]), /two routes for GET \/doors\/\{id\}/);
  assert.ok(makeRouter([one, { ...other, method: "POST" }]));
});
