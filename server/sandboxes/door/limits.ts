// Numbers of the network door. They are of one sandbox unless they say otherwise.

export const doorLimits = {
  /** Open at once; of requests on one connection as many may be under way. */
  connectionsMax: 128,
  /** Past those, so many are told why they are closed; all others are closed. */
  refusedMax: 32,
  /** What was silent from look to look for so many times ends: after five minutes, or nearly six. */
  silenceLookMs: 60_000,
  silentLooksMax: 5,
  /** From the connection, or the answer before, to the last byte of a request's head. */
  headMs: 15_000,
  headBytesMax: 32 * 1024,
  /** Of one request, in its headers and its body, and of the secrets that are put in. */
  placeholdersMax: 64,
  secretBytesMax: 256 * 1024,
  /** A longer body that is changed goes on in chunks, since its length is not known before. */
  changedBodyBytesMax: 256 * 1024,
  /** Names are looked up and connected to within this time. */
  connectMs: 15_000,
  /** Hosts, of all sandboxes with one policy: what is refused after these is not told. */
  refusalsToldMax: 1_000,
  /** Of a process: the look-ups of the system occupy its threads, of which there are four, for as long as they take. */
  lookUpsMax: 2,
  /** A policy that changed holds for connections after this time. */
  policyAgeMs: 2_000,
  /** So do credentials. */
  secretsAgeMs: 500,
};
