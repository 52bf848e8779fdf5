// The face of limits.
import type { Context } from "../../kernel/context.ts";
import type { Admission, AdmissionRequest } from "./admission/admission.ts";
import { limitsOf } from "./admission/process-limits.ts";

export { limitsOf, limitsPart } from "./admission/process-limits.ts";
export { routes } from "./routes.ts";
export { setRate, setSpend } from "./queries.ts";
export { limitsSection, rateTypes, type LimitsSection, type RateType } from "./schema.ts";
export type {
  Admission,
  AdmissionRequest,
  AdmissionContext,
  ActualUsage,
} from "./admission/admission.ts";
export { makeLimits, type Limits } from "./admission/service.ts";

/** Takes what a request may need out of its limits, or throws the 429 that says which is reached. */
export const admit = (
  context: Context,
  request: AdmissionRequest,
): Admission | Promise<Admission> => limitsOf(context).admit(context, request);
