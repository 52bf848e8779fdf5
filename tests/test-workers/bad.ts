// Fails in each way in which a file can that goes on: a test, a hook of a suite, a hook at the end.
import assert from "node:assert/strict";
import { after, suite, test } from "node:test";

after(() => assert.fail("something is left over"));
let tries = 0;
test("red at first", () => assert.equal(++tries, 2, `try ${tries}`));
suite("with a hook", () => {
  after(() => assert.fail("the hook of a suite"));
  test("inside", () => {});
});
test("its environment is as it was", () => assert.equal(process.env["LEFT_BEHIND"], undefined));
