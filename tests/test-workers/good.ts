// Passes, and leaves something in the environment.
import { suite, test } from "node:test";

test("alone", () => {});
suite("several", () => {
  test("one", () => {});
  test("two", () => void (process.env["LEFT_BEHIND"] = "yes"));
});
