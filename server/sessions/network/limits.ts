// Numbers of refused connections that are kept.

export const refusalLimits = {
  /** Of a session; more are counted together. */
  keptMax: 100,
  /** The hosts of one environment that are listed, those refused last. */
  listedMax: 100,
  /** In memory until they are written, of all sandboxes of a process; more are counted together. */
  waitingMax: 1_000,
  writeMs: 1_000,
};
