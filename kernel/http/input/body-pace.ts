// Whether a body that may take as long as it does still comes, or only drips.
import { Failure } from "../../base/failure.ts";
import { httpLimits } from "../limits.ts";

export const bodyTimeout = (message: string) =>
  new Failure("timeout_error", message, { code: "request_body_timeout" });

/** Of one body: throws where it brought too little in a minute of waiting; what we were busy ourselves is none. */
export function makePace() {
  const { bodyPaceMs, bodyPaceBytesMin } = httpLimits;
  let [waitedMs, bytes] = [0, 0];
  return {
    waited: (ms: number) => {
      waitedMs += ms;
      if (waitedMs < bodyPaceMs) return;
      if (bytes < bodyPaceBytesMin)
        throw bodyTimeout(
          `The body brought less than ${bodyPaceBytesMin} bytes in ${bodyPaceMs / 1000} seconds; send it again, faster.`,
        );
      [waitedMs, bytes] = [0, 0];
    },
    came: (length: number) => {
      bytes += length;
    },
  };
}
