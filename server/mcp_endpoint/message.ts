// Messages of JSON-RPC as they came: nothing is known of them but that they are JSON.

/** The cause of a refusal: what came is JSON, and no message that is taken. */
export const noMessage = "no_json_rpc_message";

export const methodOf = (message: unknown): unknown =>
  typeof message === "object" && message !== null && "method" in message
    ? message.method
    : undefined;

/** It asks for a stream that ends when one of both sides ends it. */
export const isListen = (message: unknown) => methodOf(message) === "subscriptions/listen";
