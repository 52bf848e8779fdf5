// Wake-up calls between processes. Polling is the truth; a hint only makes the next poll come sooner.

export interface Hints {
  /** Sent on a connection of its own and coalesced: call it after the commit, never inside. */
  send(channel: string, key: string): void;
  /** Calls back for each hint on the channel, and once after every reconnect with the key "*". */
  listen(channel: string, heard: (key: string) => void): () => void;
  close(): Promise<void>;
}
