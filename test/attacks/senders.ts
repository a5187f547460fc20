import { request } from "node:http";
import type { Stage } from "./stage.ts";

export interface Sent {
  readonly path?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body: Buffer | string;
}

/** Posts to the gateway. Returns the status or, if no response arrived, the error. */
export function post({ url }: Pick<Stage, "url">, sent: Sent): Promise<string> {
  const { path = "/v1/completions", headers = {}, body } = sent;
  return new Promise((resolve) => {
    const posting = request(`${url}${path}`, {
      method: "POST",
      agent: false,
      headers: {
        "content-type": "application/json",
        "content-length": Buffer.byteLength(body),
        ...headers,
      },
    });
    posting.on("error", (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message));
    posting.on("response", (response) => {
      const status = String(response.statusCode);
      response.resume();
      response.on("error", () => resolve(`${status}, cut`));
      response.on("end", () => resolve(status));
    });
    posting.end(body);
  });
}

/** Sends requests in parallel loops until the signal or until `most` were sent. Returns the statuses. */
export async function flood(
  stage: Stage,
  signal: AbortSignal,
  { inFlight, most = Number.POSITIVE_INFINITY, next }: Flood,
): Promise<string> {
  const told = new Map<string, number>();
  let sent = 0;
  const worker = async () => {
    while (!signal.aborted && stage.ended() === undefined && sent < most) {
      sent += 1;
      const status = await post(stage, next(sent));
      told.set(status, (told.get(status) ?? 0) + 1);
    }
  };
  await Promise.all(Array.from({ length: inFlight }, worker));
  return [...told].map(([status, count]) => `${status} x ${count}`).join(", ");
}

interface Flood {
  readonly inFlight: number;
  readonly most?: number;
  /** @param at 1 for the first */
  next(at: number): Sent;
}
