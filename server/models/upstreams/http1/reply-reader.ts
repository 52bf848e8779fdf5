// Reads the replies of one connection out of its bytes, however they are cut.
import { http1Limits as limits } from "./limits.ts";
import { invalidReply, replyHeadOf, type ReplyHead } from "./reply-head.ts";
import { HttpFault } from "./types.ts";

export interface ReplyReceiver {
  /** Of the reply itself: heads before it that only say "wait" are dropped. */
  head(head: ReplyHead): void;
  /** The bytes are the receiver's own: what they were read into is used again. */
  data(bytes: Buffer): void;
  /** `isSurplus`: more bytes have come than the reply has. */
  end(isSurplus: boolean): void;
}

const headEnd = Buffer.from("\r\n\r\n");
const [tab, lf, cr, colon, semicolon] = [9, 10, 13, 58, 59];
const nameBytes = new Set(Buffer.from("!#$%&'*+-.^_`|~"));

type Part =
  | "head"
  | "length"
  | "until-close"
  | "size"
  | "extension"
  | "size-lf"
  | "chunk"
  | "chunk-cr"
  | "chunk-lf"
  | "trailers"
  | "trailer-name"
  | "trailer"
  | "trailer-lf"
  | "last-lf"
  | "over";

export class ReplyReader {
  readonly #receiver: ReplyReceiver;
  #part: Part = "over";
  /** The beginning of a head that is not all there. */
  #begun = "";
  /** Bytes of the body or of the chunk that are still to come; while a size is read, what it is so far. */
  #left = 0;
  /** Digits of a size, or bytes behind it, or bytes of all trailers. */
  #counted = 0;

  constructor(receiver: ReplyReceiver) {
    this.#receiver = receiver;
  }

  /** A request went out: what comes now is its reply. */
  expectReply(): void {
    this.#part = "head";
    this.#begun = "";
  }

  /** Nothing is reported any more. */
  stop(): void {
    this.#part = "over";
  }

  /** Throws a fault where the bytes are no reply, after what was good before it. */
  read(bytes: Buffer): void {
    let at = 0;
    while (at < bytes.length && this.#part !== "over") {
      if (this.#part === "head") at = this.#readHead(bytes, at);
      else if (this.#part === "length") at = this.#readLength(bytes, at);
      else if (this.#part === "until-close") at = this.#readAll(bytes, at);
      else at = this.#readChunks(bytes, at);
    }
  }

  /** The other side has closed the connection: throws unless that is how the reply ends. */
  closed(): void {
    if (this.#part !== "until-close")
      throw new HttpFault("CONNECTION_CLOSED", "the other side closed the connection");
    this.#end(false);
  }

  #readHead(bytes: Buffer, start: number): number {
    const found = bytes.indexOf(headEnd, start);
    if (this.#begun === "" && found !== -1) {
      if (found - start > limits.headBytesMax) throw invalidReply("the reply's head is too long");
      this.#headIs(bytes.toString("latin1", start, found + 2), found + 4 < bytes.length);
      return found + 4;
    }
    // The empty line may lie across a cut.
    const before = this.#begun.length;
    const text =
      this.#begun + bytes.toString("latin1", start, found === -1 ? undefined : found + 4);
    const end = text.indexOf("\r\n\r\n", Math.max(0, before - 3));
    if ((end === -1 ? text.length : end) > limits.headBytesMax)
      throw invalidReply("the reply's head is too long");
    if (end === -1) {
      expectHeadSoFar(text, Math.max(0, before - 1));
      this.#begun = text;
      return bytes.length;
    }
    this.#begun = "";
    const next = start + end + 4 - before;
    this.#headIs(text.slice(0, end + 2), next < bytes.length);
    return next;
  }

  #headIs(text: string, isMore: boolean): void {
    const head = replyHeadOf(text);
    if (head.status === 101) throw invalidReply("the reply changes the protocol");
    if (head.status < 200) return;
    const { body } = head;
    this.#part = body === "chunked" ? "size" : body === "until-close" ? body : "length";
    this.#left = typeof body === "number" ? body : 0;
    this.#counted = 0;
    this.#receiver.head(head);
    if (this.#part === "length" && this.#left === 0) this.#end(isMore);
  }

  #readLength(bytes: Buffer, start: number): number {
    const end = Math.min(bytes.length, start + this.#left);
    this.#left -= end - start;
    this.#receiver.data(copyOf(bytes, start, end));
    if (this.#left === 0 && this.#part === "length") this.#end(end < bytes.length);
    return end;
  }

  #readAll(bytes: Buffer, start: number): number {
    this.#receiver.data(copyOf(bytes, start, bytes.length));
    return bytes.length;
  }

  /** The data of all chunks in `bytes` is moved together there, so that it is one piece for the receiver. */
  #readChunks(bytes: Buffer, start: number): number {
    let from = -1;
    let to = -1;
    let at = start;
    try {
      while (at < bytes.length && this.#part !== "over") {
        if (this.#part !== "chunk") {
          this.#readFraming(bytes[at++] ?? 0);
          continue;
        }
        const end = Math.min(bytes.length, at + this.#left);
        if (from === -1) [from, to] = [at, end];
        else {
          bytes.copyWithin(to, at, end);
          to += end - at;
        }
        this.#left -= end - at;
        at = end;
        if (this.#left === 0) this.#part = "chunk-cr";
      }
    } finally {
      const isOver = this.#part === "over";
      if (from !== -1) this.#receiver.data(copyOf(bytes, from, to));
      if (isOver) this.#receiver.end(at < bytes.length);
    }
    return at;
  }

  #readFraming(byte: number): void {
    switch (this.#part) {
      case "size":
        return this.#readSize(byte);
      case "extension":
        if (++this.#counted > limits.extensionBytesMax) throw invalidReply("a chunk says too much");
        return this.#readText(byte, "size-lf");
      case "size-lf":
        this.#expect(byte, lf, this.#left === 0 ? "trailers" : "chunk");
        this.#counted = 0;
        return;
      case "chunk-cr":
        return this.#expect(byte, cr, "chunk-lf");
      case "chunk-lf":
        return this.#expect(byte, lf, "size");
      case "trailers":
        if (byte === cr) this.#part = "last-lf";
        else this.#readTrailerName(byte);
        return;
      case "trailer-name":
        return this.#readTrailerName(byte);
      case "trailer":
        this.#countTrailer();
        return this.#readText(byte, "trailer-lf");
      case "trailer-lf":
        return this.#expect(byte, lf, "trailers");
      case "last-lf":
        return this.#expect(byte, lf, "over");
      default:
        throw new Error(`no framing in ${this.#part}`);
    }
  }

  #readSize(byte: number): void {
    const digit = hexDigitOf(byte);
    if (digit !== -1) {
      if (++this.#counted > limits.chunkSizeDigitsMax) throw invalidReply("a chunk is too long");
      this.#left = this.#left * 16 + digit;
    } else if (this.#counted > 0 && byte === cr) this.#part = "size-lf";
    else if (this.#counted > 0 && byte === semicolon) this.#part = "extension";
    else throw invalidReply("a chunk has no size");
  }

  #readTrailerName(byte: number): void {
    this.#countTrailer();
    if (isNameByte(byte)) this.#part = "trailer-name";
    else if (this.#part === "trailer-name" && byte === colon) this.#part = "trailer";
    else throw invalidReply("the reply has a trailer that is none");
  }

  #countTrailer(): void {
    if (++this.#counted > limits.trailerBytesMax) throw invalidReply("the trailers are too long");
  }

  #readText(byte: number, next: Part): void {
    if (byte === cr) this.#part = next;
    else if ((byte < 32 && byte !== tab) || byte === 127)
      throw invalidReply("a line of the chunks has a sign that it cannot have");
  }

  #expect(byte: number, wanted: number, next: Part): void {
    if (byte !== wanted) throw invalidReply("a chunk does not end where it says");
    this.#part = next;
  }

  #end(isSurplus: boolean): void {
    this.#part = "over";
    this.#receiver.end(isSurplus);
  }
}

/** What can never become a head is refused at once: its end might never come. */
function expectHeadSoFar(text: string, newAt: number): void {
  const start = "HTTP/1.";
  if (!start.startsWith(text.slice(0, start.length)) || /[^\r]\n/.test(text.slice(newAt)))
    throw invalidReply("the reply does not begin as HTTP/1 does");
}

function isNameByte(byte: number): boolean {
  const small = byte | 32;
  const isLetterOrDigit = (small >= 97 && small <= 122) || (byte >= 48 && byte <= 57);
  return isLetterOrDigit || nameBytes.has(byte);
}

function hexDigitOf(byte: number): number {
  if (byte >= 48 && byte <= 57) return byte - 48;
  const small = byte | 32;
  return small >= 97 && small <= 102 ? small - 87 : -1;
}

function copyOf(bytes: Buffer, start: number, end: number): Buffer {
  const copy = Buffer.allocUnsafe(end - start);
  bytes.copy(copy, 0, start, end);
  return copy;
}
