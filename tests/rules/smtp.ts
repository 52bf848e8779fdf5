// A small mail server on loopback: takes mail, or answers what a test wants it to.
import { createServer, type Server, type Socket } from "node:net";
import type { AddressInfo } from "node:net";

export interface MailServer extends AsyncDisposable {
  port: number;
  /** What was taken, whole. */
  mails: string[];
  /** How often a sender was named. */
  attempts: number;
  /** Answers to the next recipients, one each; then it takes everything. */
  refuse(...answers: string[]): void;
}

export async function openMailServer(): Promise<MailServer> {
  const sockets = new Set<Socket>();
  const answers: string[] = [];
  const mail: MailServer = {
    port: 0,
    mails: [],
    attempts: 0,
    refuse: (...more) => void answers.push(...more),
    [Symbol.asyncDispose]: async () => {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  const server: Server = createServer((socket) => {
    sockets.add(socket);
    socket.on("close", () => sockets.delete(socket));
    socket.on("error", () => socket.destroy());
    speak(socket, mail, answers);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  mail.port = (server.address() as AddressInfo).port;
  return mail;
}

function speak(socket: Socket, mail: MailServer, answers: string[]): void {
  const say = (line: string) => socket.write(`${line}\r\n`);
  let data: string[] | undefined;
  let rest = "";
  const command = (line: string) => {
    const word = line.slice(0, 4).toUpperCase();
    if (word === "EHLO" || word === "HELO") say("250 mail.example");
    else if (word === "MAIL") {
      mail.attempts += 1;
      say("250 ok");
    } else if (word === "RCPT") say(answers.shift() ?? "250 ok");
    else if (word === "DATA") {
      data = [];
      say("354 go on");
    } else if (word === "QUIT") socket.end("221 bye\r\n");
    else say("250 ok");
  };
  say("220 mail.example");
  socket.on("data", (chunk) => {
    const lines = (rest + chunk.toString("latin1")).split("\r\n");
    rest = lines.pop() ?? "";
    for (const line of lines)
      if (data === undefined) command(line);
      else if (line === ".") {
        mail.mails.push(data.join("\n"));
        data = undefined;
        say("250 taken");
      } else data.push(line.replace(/^\.\./, "."));
  });
}
