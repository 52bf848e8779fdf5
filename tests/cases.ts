// Which random cases the properties of a run meet: those of its seed, so that the run can be had again.
import fc from "fast-check";

export function takeCasesOf(seed: number): void {
  fc.configureGlobal({ ...fc.readConfigureGlobal(), seed });
}
