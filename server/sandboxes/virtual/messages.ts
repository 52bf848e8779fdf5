// What the server and the process of one virtual sandbox say to each other.

/** What a sandbox has of the host. */
export interface HostDirectory {
  /** Inside. */
  path: string;
  directory: string;
  isReadOnly: boolean;
}

export interface StartMessage {
  directories: readonly HostDirectory[];
  /** Paths of folders in memory. */
  memoryFolders: readonly string[];
  env: Readonly<Record<string, string>>;
  /** What lies in memory beside `/workspace` may have so many bytes. */
  memoryFilesBytes: number;
}

export interface CallMessage {
  line: string;
  stdin: Uint8Array;
}

export interface EndMessage {
  code: number;
  output: Uint8Array;
  errors: Uint8Array;
  /** The shell ended with the call. */
  hasEnded: boolean;
}

/** The search program of the tools, as it is called inside. */
export const searchName = "plinth-rg";
