// How long a test waits for what must come. It waits for a condition, so a long limit costs nothing while it passes.

/** Machines are slow beside other programs: this is some fifty times what the slowest step takes on a quiet one. */
export const testTimeoutMs = 120_000;
