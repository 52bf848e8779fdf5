// The way out, of this browser or of all of them.
import { say } from "../page/say.ts";
import { api } from "./api.ts";
import { queryClient } from "./queries.ts";

export async function signOut(everywhere: boolean): Promise<void> {
  try {
    await (everywhere ? api.sign_out_everywhere() : api.sign_out());
  } catch (error) {
    say.error(error);
    return;
  }
  queryClient.clear();
  window.location.assign("/sign-in");
}
