// The language that the browser names, where it is none.
/**
 * A browser on a machine that has no language names one that no browser knows (`en-US@posix`), and what formats
 * numbers in the reader's language breaks over it while its code is read, as the charts do.
 */
export function settleLanguage(): void {
  try {
    Intl.getCanonicalLocales(navigator.language);
  } catch {
    Object.defineProperty(navigator, "language", { value: "en", configurable: true });
  }
}
