import type { ServerResponse } from "node:http";

/** A request that the sidecar answers itself, in the words of vLLM's errors. */
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

/** Responds with an error; a response that has begun is broken off. */
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
