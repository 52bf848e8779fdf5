// The token endpoint's grants for programs that a person has granted access.
import { GrantRefusal, grants as ofTokens, type GrantHandlers } from "../tokens/module.ts";
import { isForgotten, unknownClient } from "./clients/known-clients.ts";
import { redeemCode } from "./code.ts";
import { pollDevice } from "./device.ts";

const { refresh_token: redeemRefreshToken } = ofTokens;

export const grants: GrantHandlers = {
  authorization_code: redeemCode,
  "urn:ietf:params:oauth:grant-type:device_code": pollDevice,
  /** Rule AUT17: a client that was forgotten is told so here, where it can do something about it. */
  refresh_token: async (context, request) => {
    try {
      return await redeemRefreshToken(context, request);
    } catch (error) {
      const { client_id: id = "" } = request;
      if (error instanceof GrantRefusal && error.error === "invalid_grant")
        if (await isForgotten(context, id)) throw unknownClient(id);
      throw error;
    }
  },
};
