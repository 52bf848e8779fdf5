// The upstream of bench/gateway.ts: the same bytes for every request, so that it is never the slowest.
import { createServer, type AddressInfo } from "node:net";

const message = JSON.stringify({
  id: "msg_bench",
  type: "message",
  role: "assistant",
  model: "bench",
  content: [{ type: "text", text: "x".repeat(900) }],
  stop_reason: "end_turn",
  stop_sequence: null,
  usage: {
    input_tokens: 500,
    output_tokens: 225,
    cache_creation_input_tokens: 0,
    cache_read_input_tokens: 0,
  },
});
const whole = Buffer.from(
  `HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: ${Buffer.byteLength(message)}\r\n\r\n${message}`,
);

/** Enough of HTTP for clients that send a content length: one answer for each complete request. */
const server = createServer((socket) => {
  let waiting: Buffer = Buffer.alloc(0);
  socket.setNoDelay(true);
  socket.on("error", () => {});
  socket.on("data", (chunk: Buffer) => {
    waiting = waiting.length === 0 ? chunk : Buffer.concat([waiting, chunk]);
    for (;;) {
      const headEnd = waiting.indexOf("\r\n\r\n");
      if (headEnd === -1) return;
      const length = /content-length: (\d+)/i.exec(waiting.toString("latin1", 0, headEnd))?.[1];
      const end = headEnd + 4 + Number(length ?? 0);
      if (waiting.length < end) return;
      waiting = waiting.subarray(end);
      socket.write(whole);
    }
  });
});
server.listen(0, "127.0.0.1", () => {
  process.send?.({ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` });
});
process.on("message", () => process.exit(0));
