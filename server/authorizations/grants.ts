// The token endpoint's grants for programs that a person has granted access.
import type { GrantHandlers } from "../tokens/module.ts";
import { redeemCode } from "./code.ts";
import { pollDevice } from "./device.ts";

export const grants: GrantHandlers = {
  authorization_code: redeemCode,
  "urn:ietf:params:oauth:grant-type:device_code": pollDevice,
};
