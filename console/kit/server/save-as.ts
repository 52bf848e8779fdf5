// Hands a file to the browser, which keeps it where it keeps downloads.

/** The browser has begun by then; what it reads stays until it is done. */
const kept = 60_000;

export function saveAs(file: Blob, name: string): void {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(file);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), kept);
}
