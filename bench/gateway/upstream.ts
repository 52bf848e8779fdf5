// The upstream of bench/gateway.ts: answers with bytes made before, on a socket, so that it is never the slowest.
import { createServer, type AddressInfo, type Socket } from "node:net";
import { modes, pacedEventMs, eventsOf } from "./modes.ts";

const usage = {
  input_tokens: 500,
  output_tokens: 225,
  cache_creation_input_tokens: 0,
  cache_read_input_tokens: 0,
};
const about = { id: "msg_bench", type: "message", role: "assistant", model: "bench" };
const message = JSON.stringify({
  ...about,
  content: [{ type: "text", text: "x".repeat(900) }],
  stop_reason: "end_turn",
  stop_sequence: null,
  usage,
});
const ok = "HTTP/1.1 200 OK\r\ncontent-type: ";
const whole = Buffer.from(
  `${ok}application/json\r\ncontent-length: ${Buffer.byteLength(message)}\r\n\r\n${message}`,
);

const frame = (type: string, fields: object = {}) =>
  `event: ${type}\ndata: ${JSON.stringify({ type, ...fields })}\n\n`;
const chunk = (text: string) => `${Buffer.byteLength(text).toString(16)}\r\n${text}\r\n`;
const started = {
  message: { ...about, content: [], stop_reason: null, stop_sequence: null, usage },
};
const text = { type: "text", text: "" };
const opening =
  frame("message_start", started) + frame("content_block_start", { index: 0, content_block: text });
const words = { index: 0, delta: { type: "text_delta", text: "four words of it " } };
const delta = frame("content_block_delta", words);
const ending = { delta: { stop_reason: "end_turn", stop_sequence: null }, usage };
const closing =
  frame("content_block_stop", { index: 0 }) +
  frame("message_delta", ending) +
  frame("message_stop");
const head = `${ok}text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n`;
const last = Buffer.from(`${chunk(closing)}0\r\n\r\n`);
const burst = Buffer.from(head + chunk(opening + delta.repeat(eventsOf.burst)) + last.toString());
const first = Buffer.from(head + chunk(opening));
const one = Buffer.from(chunk(delta));

/** One event at a time, each in a packet of its own. */
function pace(socket: Socket, count: number, everyMs: number): void {
  socket.write(first);
  let left = count;
  const timer = setInterval(() => {
    if (socket.destroyed || left-- === 0) {
      clearInterval(timer);
      socket.write(last);
    } else socket.write(one);
  }, everyMs);
}

function answer(socket: Socket, request: string): void {
  if (!request.includes('"stream":true')) socket.write(whole);
  else if (request.includes(`"max_tokens":${modes.burst}`)) socket.write(burst);
  else if (request.includes(`"max_tokens":${modes.paced}`))
    pace(socket, eventsOf.paced, pacedEventMs);
  else pace(socket, eventsOf.slow, 1_000);
}

/** Enough of HTTP for clients that send a content length: one answer for each complete request. */
const server = createServer((socket) => {
  let waiting: Buffer = Buffer.alloc(0);
  socket.setNoDelay(true);
  socket.on("error", () => {});
  socket.on("data", (more: Buffer) => {
    waiting = waiting.length === 0 ? more : Buffer.concat([waiting, more]);
    for (;;) {
      const headEnd = waiting.indexOf("\r\n\r\n");
      if (headEnd === -1) return;
      const length = /content-length: (\d+)/i.exec(waiting.toString("latin1", 0, headEnd))?.[1];
      const end = headEnd + 4 + Number(length ?? 0);
      if (waiting.length < end) return;
      answer(socket, waiting.toString("latin1", headEnd, Math.min(end, headEnd + 200)));
      waiting = waiting.subarray(end);
    }
  });
});
server.listen({ port: 0, host: "127.0.0.1", backlog: 4_096 }, () => {
  process.send?.({ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` });
});
process.on("message", () => process.exit(0));
