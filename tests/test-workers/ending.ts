// Ends its process in the middle.
import { test } from "node:test";

test("before", () => {});
test("ends all", () => process.exit(3));
