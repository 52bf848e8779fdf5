// The addresses of what this server lets be read, and what they name.

/** As templates of RFC 6570: a path keeps its slashes. */
export const templates = {
  memory: "plinth://memory_stores/{memory_store_id}/memories{+path}",
  transcript: "plinth://sessions/{session_id}/transcript",
  file: "plinth://files/{file_id}",
} as const;

export type Named =
  | { kind: "memory"; memory_store_id: string; path: string }
  | { kind: "transcript"; session_id: string }
  | { kind: "file"; file_id: string };

const encoded = (path: string) => path.split("/").map(encodeURIComponent).join("/");

export function uriOf(named: Named): string {
  if (named.kind === "memory")
    return `plinth://memory_stores/${named.memory_store_id}/memories${encoded(named.path)}`;
  if (named.kind === "transcript") return `plinth://sessions/${named.session_id}/transcript`;
  return `plinth://files/${named.file_id}`;
}

const memoryUri = /^plinth:\/\/memory_stores\/([^/?#]+)\/memories((?:\/|%2F)[^?#]*)$/i;
const transcriptUri = /^plinth:\/\/sessions\/([^/?#]+)\/transcript$/;
const fileUri = /^plinth:\/\/files\/([^/?#]+)$/;

/** Undefined for an address that names nothing here; paths may come with their slashes encoded, as `{path}` expands. */
export function namedBy(uri: string): Named | undefined {
  const memory = memoryUri.exec(uri);
  if (memory !== null) {
    const path = decoded(memory[2] ?? "");
    if (path === undefined) return undefined;
    return { kind: "memory", memory_store_id: memory[1] ?? "", path };
  }
  const session_id = transcriptUri.exec(uri)?.[1];
  if (session_id !== undefined) return { kind: "transcript", session_id };
  const file_id = fileUri.exec(uri)?.[1];
  return file_id === undefined ? undefined : { kind: "file", file_id };
}

function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}
