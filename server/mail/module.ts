// The face of mail: what sends one, for jobs of the nouns that have something to say.
export { attemptsMax, backoffMs, escaped, send, silenceMs } from "./send.ts";
export { isMailSet, mailSection, mailServerOf, readMailSettings } from "./settings.ts";
