// Attacks by way of the network door: it allows every public host, and the server's machine is none.
import type { Attack, Targets } from "./attack.ts";

/** Those that the machine takes for its own loopback. */
const spellings: Readonly<Record<string, string>> = {
  "a number": "127.0.0.1",
  "another number of the loopback": "127.1.2.3",
  "no address": "0.0.0.0",
  "a name": "localhost",
  "a decimal number": "2130706433",
  "octal numbers": "0177.0.0.1",
  "a hexadecimal number": "0x7f000001",
  "two numbers": "127.1",
  "an IPv6 address around it": "::ffff:127.0.0.1",
};

const get = "GET / HTTP/1.0\\r\\n\\r\\n";
const say = (host: string, port: number | string, words: string) =>
  `{ exec 9<>/dev/tcp/${host}/${port} && printf '${words}' >&9 && timeout 20 cat <&9; } 2>/dev/null`;
const [doorHost, doorPort] = ["127.0.0.1", 3128];
const bracketed = (host: string) => (host.includes(":") ? `[${host}]` : host);

const ways: Readonly<Record<string, (host: string, port: number) => string>> = {
  "a tunnel": (host, port) =>
    say(doorHost, doorPort, `CONNECT ${bracketed(host)}:${port} HTTP/1.1\\r\\n\\r\\n${get}`),
  "a request": (host, port) =>
    say(doorHost, doorPort, `GET http://${bracketed(host)}:${port}/ HTTP/1.0\\r\\n\\r\\n`),
};

const byWays = (
  name: string,
  there: (targets: Targets) => { host: string; port: number },
): Attack[] =>
  Object.entries(ways).map(([way, line]) => ({
    name: `${name}, by ${way}`,
    line: (targets) => line(there(targets).host, there(targets).port),
    control: {
      by: "outside",
      line: (targets) => say(there(targets).host, there(targets).port, get),
    },
  }));

export const networkAttacks: readonly Attack[] = [
  ...Object.entries(spellings).flatMap(([what, host]) =>
    byWays(`reaches the server's loopback through the door as ${what}`, ({ port }) => ({
      host,
      port,
    })),
  ),
  ...byWays("reaches an address of the server's machine through the door", ({ address, port }) => ({
    host: address,
    port,
  })),
];
