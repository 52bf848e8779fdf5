// A person's terminal in a test: both streams on one screen, and somebody who may press Ctrl-C.
import { systemClock } from "../../kernel/base/clock.ts";
import { systemRandom } from "../../kernel/base/random.ts";
import type { Terminal } from "../../cli/terminal.ts";

export interface Screen {
  terminal: Terminal;
  /** All that was ever written to it; ↺ is where the line is drawn again. */
  text(): string;
  interrupt(): void;
}

export function openScreen(env: Terminal["env"], more: Partial<Terminal> = {}): Screen {
  let screen = "";
  const show = (text: string) => void (screen += text);
  const acts = new Set<() => void>();
  return {
    text: () => screen.replaceAll("\r\u001b[K", "↺"),
    interrupt: () => acts.forEach((act) => act()),
    terminal: {
      env,
      write: show,
      writeBytes: async (bytes) => show(Buffer.from(bytes).toString()),
      note: show,
      dim: (text) => `<${text}>`,
      color: (name, text) => `<${name} ${text}>`,
      edit: async () => 0,
      openBrowser: async () => false,
      randomBase64url: (bytes) => systemRandom.bytes(bytes).toString("base64url"),
      fetch: globalThis.fetch,
      isPerson: { input: true, output: true, notes: true },
      columns: () => 100,
      screenColumns: () => 100,
      readInput: async () => "",
      input: () => ReadableStream.from<Uint8Array>([]),
      readLine: async () => "",
      clock: systemClock,
      onInterrupt: (act) => {
        acts.add(act);
        return () => void acts.delete(act);
      },
      ...more,
    },
  };
}
