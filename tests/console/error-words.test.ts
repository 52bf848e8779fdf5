// Errors of sessions in words: each type that the official client knows, and the vault that an error leads to.
import assert from "node:assert/strict";
import { test } from "node:test";
import type Anthropic from "@anthropic-ai/sdk";
import { errorTitle, errorTitles, subjectOf } from "../../console/sessions/events/error-words.ts";

type SessionErrorType = Anthropic.Beta.Sessions.BetaManagedAgentsSessionErrorEvent["error"]["type"];
/** The types alone have to hold: one that the client has beside them is not compiled. */
const titles: Record<SessionErrorType, string> = errorTitles;

test("an error is told in a sentence of its own, one that is not known in its type's words", () => {
  const all = Object.values(titles);
  assert.equal(new Set(all).size, 15);
  for (const title of all) assert.match(title, /^[A-Z][a-zA-Z ]+$/);
  assert.equal(errorTitle("mcp_connection_failed_error"), "An MCP server could not be reached");
  assert.equal(errorTitle("new_kind_error"), "New kind error");
  assert.equal(errorTitle("constructor"), "Constructor");
});

test("an error of a credential leads to its vault, one of a server where that is clear", () => {
  const credential = { type: "credential_host_unreachable_error", credential_id: "vcrd_1" };
  const subject = subjectOf({ ...credential, vault_id: "vlt_1" }, ["vlt_1", "vlt_2"]);
  assert.deepEqual(subject, { name: "vcrd_1", vault: "vlt_1" });
  const refused = { type: "mcp_authentication_failed_error", mcp_server_name: "docs" };
  assert.deepEqual(subjectOf(refused, ["vlt_1"]), { name: "docs", vault: "vlt_1" });
  for (const vaults of [[], ["vlt_1", "vlt_2"]])
    assert.deepEqual(subjectOf(refused, vaults), { name: "docs", vault: undefined });
  const away = { type: "mcp_connection_failed_error", mcp_server_name: "docs" };
  assert.deepEqual(subjectOf(away, ["vlt_1"]), { name: "docs", vault: undefined });
  assert.equal(subjectOf({ type: "model_overloaded_error" }, ["vlt_1"]), undefined);
});
