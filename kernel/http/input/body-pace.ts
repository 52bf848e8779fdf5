// Whether a body without a time limit still makes progress, or only drips.
import { Failure } from "../../base/failure.ts";
import { httpLimits } from "../limits.ts";

export const bodyTimeout = (message: string) =>
  new Failure("timeout_error", message, { code: "request_body_timeout" });

/** For one body: throws where it brought too little in a minute of waiting; the server's busy time does not count. */
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
