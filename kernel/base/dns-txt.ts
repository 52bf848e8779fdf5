// TXT records of the domain name system: how an owner proves control of a domain.
import { Resolver } from "node:dns/promises";

/** The texts at a name, each put together from its parts; none where there is no such name. */
export type TxtLookup = (name: string) => Promise<string[]>;

const timeoutMs = 2_000;
const tries = 2;
const absent = new Set(["ENOTFOUND", "ENODATA"]);

export const systemTxtLookup: TxtLookup = async (name) => {
  try {
    const records = await new Resolver({ timeout: timeoutMs, tries }).resolveTxt(name);
    return records.map((parts) => parts.join(""));
  } catch (error) {
    if (absent.has((error as NodeJS.ErrnoException).code ?? "")) return [];
    throw error;
  }
};
