// How much slower work goes than on an idle machine, for limits of time that must hold beside other programs too.

const everyMsDefault = 500;
/** Long enough to be interrupted where other programs want the core. */
const spinMs = 20;

export interface Slowness extends Disposable {
  /** 1 on an idle machine, 3 where two other programs want this core all the time. */
  factor(): number;
}

/** Spins now and then, and compares the time that passes with the CPU that it gets: 4 % of a core by default. */
export function watchSlowness(everyMs = everyMsDefault): Slowness {
  let passedMs = 0;
  let usedMs = 0;
  const timer = setInterval(() => {
    const start = { passed: performance.now(), used: cpuMs() };
    let spun = 0;
    while (spun < spinMs) spun = cpuMs() - start.used;
    passedMs += performance.now() - start.passed;
    usedMs += spun;
  }, everyMs).unref();
  return {
    factor: () => (usedMs === 0 ? 1 : Math.max(1, passedMs / usedMs)),
    [Symbol.dispose]: () => clearInterval(timer),
  };
}

function cpuMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
}
