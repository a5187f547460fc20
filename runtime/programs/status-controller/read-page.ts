import { readFile } from "node:fs/promises";
import { Readable } from "node:stream";
import type { ReadableStream } from "node:stream/web";
import { readBody } from "../../../kubernetes/api/read-body.ts";
import { runtimePorts } from "../../../sdk/topology/runtime-ports.ts";
import { limits } from "../../limits.ts";
import type { ReadPage } from "./picker-reports.ts";

const timeoutMs = 5_000;

/**
 * Reads a picker's `/metrics`. Any client that can create pods can label one as a picker and receive the token. The
 * token is therefore valid for metrics pages only, and not for the API server.
 *
 * @param tokenFile file with the token, which the kubelet renews; undefined if pickers require none
 */
export function pageReader(port: number = runtimePorts.metrics, tokenFile?: string): ReadPage {
  return async (address, signal) => {
    const host = address.includes(":") ? `[${address}]` : address;
    const url = `http://${host}:${port}/metrics`;
    const token = tokenFile === undefined ? undefined : await readFile(tokenFile, "utf8");
    const response = await fetch(url, {
      redirect: "error",
      headers: token === undefined ? {} : { authorization: `Bearer ${token.trim()}` },
      signal: AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]),
    }).catch((error: Error) => {
      throw new Error(`the endpoint picker at ${address} does not answer: ${causeOf(error)}`);
    });
    if (response.status === 401 || response.status === 403)
      throw new Error(
        `the endpoint picker at ${address} does not let the status controller read its metrics (${response.status}); ${
          tokenFile === undefined
            ? "start the controller with --picker-token-file"
            : "apply the plan of InferenceControllers again"
        }`,
      );
    if (!response.ok || response.body === null)
      throw new Error(`the endpoint picker at ${address} answers ${response.status}`);
    return readBody(Readable.fromWeb(response.body as ReadableStream), {
      what: `the metrics page at ${address}`,
      maxBytes: limits.pickerPage.value,
    });
  };
}

const causeOf = ({ message, cause }: Error) =>
  cause instanceof Error ? cause.message || (cause as NodeJS.ErrnoException).code : message;
