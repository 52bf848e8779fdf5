// What the file systems of sandboxes and workers take as a path.

const stepBytesMax = 255;

export const hasShortSteps = (path: string): boolean =>
  path.split("/").every((step) => Buffer.byteLength(step) <= stepBytesMax);
