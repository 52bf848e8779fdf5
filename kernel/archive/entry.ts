// What stands in an archive, whatever packed it.

export interface ArchiveEntry {
  /** As it stands in the archive; undefined where it is not UTF-8. */
  name: string | undefined;
  /** `file`, `directory`, or the name of what is neither. */
  kind: string;
  /** Of Unix, without the type; 0 where the archive says nothing. */
  mode: number;
  bytes: number;
  /** The file: callers look at `bytes` before they read it. */
  read(): Promise<Buffer>;
}

const hidden = /^(?:\._.*|\.DS_Store|__MACOSX|Thumbs\.db|desktop\.ini|PaxHeaders?(?:\.\w+)?)$/;

/** What operating systems and packers put beside files. */
export const isHidden = (path: string) => path.split("/").some((segment) => hidden.test(segment));
