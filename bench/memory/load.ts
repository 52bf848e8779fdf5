// The same load for both sides of bench/memory.ts.

/** As many different words as a person's notes may hold; the common ones are common. */
const words = Array.from({ length: 5_000 }, (_, at) => (at + 1_000).toString(36) + "aeiou"[at % 5]);
let count = 0;

/** Never the same twice. */
export function textOf(bytes: number): string {
  let text = `${++count} `;
  while (text.length < bytes) text += `${words[Math.floor(5_000 * Math.random() ** 3)]} `;
  return text.slice(0, bytes);
}

export interface Load {
  atOnce: number;
  seconds: number;
}

export type LoadStep = (number: number) => Promise<unknown> | undefined;

export interface Ran {
  perSecond: number;
  /** Of each, in milliseconds: the middle one, and that of one in a hundred. */
  p50: number;
  p99: number;
}

export async function run({ atOnce, seconds }: Load, act: LoadStep): Promise<Ran> {
  const times: number[] = [];
  const beganMs = performance.now();
  const endMs = beganMs + seconds * 1000;
  const repeat = async (number: number) => {
    for (let nowMs = performance.now(); nowMs < endMs;) {
      const startMs = nowMs;
      await act(number);
      nowMs = performance.now();
      times.push(nowMs - startMs);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, (_, number) => repeat(number)));
  const tookSeconds = (performance.now() - beganMs) / 1000;
  times.sort((a, b) => a - b);
  const at = (share: number) => times[Math.floor(times.length * share)] ?? Number.NaN;
  return { perSecond: times.length / tookSeconds, p50: at(0.5), p99: at(0.99) };
}
