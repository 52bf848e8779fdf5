// One finding of the doctor.
import { readFile } from "node:fs/promises";

export interface DoctorCheck {
  name: string;
  state: "ok" | "warn" | "fail";
  found: string;
  mend?: string;
}

export const ok = (name: string, found: string): DoctorCheck => ({ name, state: "ok", found });
export const warn = (name: string, found: string, mend: string): DoctorCheck => ({
  name,
  state: "warn",
  found,
  mend,
});
export const fail = (name: string, found: string, mend: string): DoctorCheck => ({
  name,
  state: "fail",
  found,
  mend,
});

/** The text of a file of the kernel's, or undefined where there is none. */
export async function kernelFile(path: string): Promise<string | undefined> {
  try {
    return (await readFile(path, "utf8")).trim();
  } catch {
    return undefined; // absent, or not readable: for a check the same
  }
}
