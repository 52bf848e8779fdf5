// Numbers of the tools of the web.

export const limits = {
  /** Of one page, as it comes. */
  pageBytesMax: 10 * 1024 * 1024,
  /** From the first look at its name to its last byte, redirects and all. */
  pageMs: 30_000,
  redirectsMax: 5,
  urlCharactersMax: 4_096,
  /** Of a page's text, unless the agent says otherwise: 100,000 bytes. */
  fetchedTokensDefault: 25_000,
  /** As this server counts tokens where no upstream does. */
  bytesPerToken: 4,
  /** However many tokens an agent allows: an event has an end. */
  shownBytesMax: 800_000,
  /** As base64 within one event. */
  documentBytesMax: 700_000,
  /** Of what a server says beside a status that is an error. */
  errorTextBytesMax: 2_000,
  /** Then other work has its turn. */
  htmlCharactersAtOnce: 32 * 1024,
  /** A main part with less is not taken for the page. */
  mainCharactersMin: 200,
  titleCharactersMax: 500,
  /** Longer links are text alone. */
  linkCharactersMax: 2_000,
  listDepthMax: 16,
  /** Of a text, those at the end that may belong to the sentence around an address. */
  urlTailCharactersMax: 8,
  queryCharactersMax: 400,
  searchMs: 15_000,
  searchBytesMax: 2 * 1024 * 1024,
  resultsMax: 10,
  /** What providers give at once: of more than are shown, because some are left out by their domains. */
  resultsAskedFor: 20,
  snippetCharactersMax: 1_000,
  resultTitleCharactersMax: 300,
  /** In dollars, for a thousand requests. */
  priceMax: 10_000,
} as const;
