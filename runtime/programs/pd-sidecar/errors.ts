import type { ServerResponse } from "node:http";

/** An error response of the sidecar itself, in vLLM's format. */
export class Refusal extends Error {
  readonly status: number;
  readonly type: string;

  constructor(status: number, type: string, message: string) {
    super(message);
    this.name = "Refusal";
    this.status = status;
    this.type = type;
  }
}

/** Sends an error response, or aborts a response that has started. */
export function refuse(response: ServerResponse, { status, type, message }: Refusal): void {
  if (response.headersSent || response.destroyed) {
    response.destroy();
    return;
  }
  const text = JSON.stringify({ object: "error", message, type, param: null, code: status });
  response.writeHead(status, {
    "content-type": "application/json",
    "content-length": Buffer.byteLength(text),
  });
  response.end(text);
}
