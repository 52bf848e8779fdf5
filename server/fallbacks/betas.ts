// Which beta names grant what.

export const fallbackBeta = "server-side-fallback-2026-07-01";
export const fallbackListBeta = "server-side-fallback-2026-06-01";
export const creditBeta = "fallback-credit-2026-07-01";

type Betas = ReadonlySet<string>;

export const isFallbackBeta = (beta: string) => beta.startsWith("server-side-fallback-");
export const isCreditBeta = (beta: string) => beta.startsWith("fallback-credit-");

/** Credit tokens are made and taken. */
export const grantsCredit = (betas: Betas): boolean =>
  betas.has(fallbackBeta) || [...betas].some(isCreditBeta);

/** A refusal says more than the plain shape. */
export const showsFallbackFields = (betas: Betas): boolean =>
  [...betas].some((beta) => isFallbackBeta(beta) || isCreditBeta(beta));

/** A retry swaps the betas of fallbacks and credit, and those of signing in say nothing of the request. */
const isCompared = (beta: string) =>
  !isFallbackBeta(beta) && !isCreditBeta(beta) && !beta.startsWith("oauth-");

/** The betas that a retry must have like the refused request, sorted. */
export const comparedBetas = (betas: Betas): string[] => [...betas].filter(isCompared).sort();
