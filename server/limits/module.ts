// The face of limits.
import type { Actor } from "../../kernel/context.ts";
import type { Admission, AdmissionRequest } from "./admission/admission.ts";
import { limitsOf } from "./admission/process-limits.ts";

export { limitsOf, limitsPart } from "./admission/process-limits.ts";
export { routes } from "./routes.ts";
export { refusingFromPercent } from "./limits.ts";
export { spanOf, type Span } from "./periods.ts";
export { setRate, setSpend } from "./queries.ts";
export { limitsSection, rateTypes, type LimitsSection, type RateType } from "./schema.ts";
export { headerPrefixOf } from "./admission/admission.ts";
export type {
  Admission,
  AdmissionRequest,
  AdmissionCaller,
  ActualUsage,
} from "./admission/admission.ts";
export type { Prefix } from "./admission/headers.ts";
export { makeLimits, type Limits } from "./admission/admit.ts";

/** Takes what a request may need out of its limits, or throws the 429 that says which is reached. */
export const admit = (actor: Actor, request: AdmissionRequest): Admission | Promise<Admission> =>
  limitsOf(actor).admit(actor, request);
