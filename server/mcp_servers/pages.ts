// The frame in which the console shows the page of an MCP server's tool: an origin of its own, which reaches nothing
// that the page has not declared, and nothing of this server.
import { page, type Reply } from "../../kernel/http/output/reply.ts";
import { isPageOrigin } from "../mcp_client/module.ts";
import type { FrameQuery } from "./schema.ts";

/** The console hands the page over; what it opens has the policy of this answer, whatever it says itself. */
const html = `<!doctype html>
<meta charset="utf-8">
<title>Page of a tool</title>
<script>
addEventListener("message", ({ source, data }) => {
  if (source !== parent || typeof data?.html !== "string") return;
  document.open();
  document.write(data.html);
  document.close();
});
parent.postMessage({ isReady: true }, "*");
</script>
`;

/** Rule MSV21. The console's own page bounds where the frame can be led. */
export function toolFrame({ connects = "", loads = "" }: FrameQuery): Reply {
  const origins = (text: string) => text.split(" ").filter(isPageOrigin);
  const from = (...more: readonly string[]) => [...more, ...origins(loads)].join(" ");
  const reached = origins(connects);
  const policy = [
    "sandbox allow-scripts",
    "default-src 'none'",
    `script-src ${from("'unsafe-inline'")}`,
    `style-src ${from("'unsafe-inline'")}`,
    `img-src ${from("data:", "blob:")}`,
    `media-src ${from("data:", "blob:")}`,
    `font-src ${from("data:")}`,
    `connect-src ${reached.length === 0 ? "'none'" : reached.join(" ")}`,
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'self'",
  ].join("; ");
  return page(html, {
    "content-security-policy": policy,
    "referrer-policy": "no-referrer",
    "x-content-type-options": "nosniff",
  });
}
