import { request as httpRequest } from "node:http";
import { request as httpsRequest } from "node:https";
import { isIP } from "node:net";
import type { ConnectionOptions } from "node:tls";
import { readBody } from "../../../kubernetes/api/read-body.ts";
import { hostPort } from "../../../scheduling/endpoints/endpoint.ts";
import type { Reach } from "../../../sdk/spec/reachable-address.ts";
import { MetricsScanner } from "../../epp/model-servers/metrics-scanner.ts";
import { limits } from "../../limits.ts";
import type { ClusterLoad } from "./choose-cluster.ts";
import { lookupWithin } from "./picker-connection.ts";
import type { RemoteAddress } from "./remote-cluster.ts";

/** Names of the metrics of a pool's load, the newer name first. */
const families = {
  readyEndpoints: ["llm_d_epp_ready_endpoints", "inference_pool_ready_pods"],
  averageQueueSize: ["llm_d_epp_average_queue_size", "inference_pool_average_queue_size"],
} as const;

/** Requests queued in the picker, by flow. Pickers without flow control do not have it. */
const queuedHere = "llm_d_epp_flow_control_queue_size";

const scanner = new MetricsScanner([...Object.values(families).flat(), queuedHere]);

/** Maximum size of a metrics page, in bytes. Real pages have some hundred kilobytes. */
const maxLoadPageBytes = limits.remoteLoadPage.value;

export interface PickerLoadOptions {
  readonly address: RemoteAddress;
  readonly scheme: "http" | "https";
  /** CA, certificate and names of a TLS connection. */
  readonly tls: ConnectionOptions;
  readonly timeoutMs: number;
  /** Allowed addresses of the picker. */
  readonly reach: Reach;
  /** Upper limit for the reported endpoints. Default `mostEndpoints`. */
  readonly maxEndpoints: number | undefined;
}

/**
 * Default upper limit for the endpoints that another cluster's picker reports, because the number cannot be verified.
 */
export const mostEndpoints = limits.remoteEndpoints.value;

/**
 * Reads the load of a pool from its picker's metrics page.
 *
 * @throws Error with the reason why the load cannot be read
 */
export async function readPickerLoad(options: PickerLoadOptions): Promise<ClusterLoad> {
  const { address, scheme } = options;
  const where = `${scheme}://${hostPort(address.host, address.port)}/metrics`;
  try {
    const load = loadOf(await fetchPage(where, options));
    if (load === undefined) throw new Error(`has no ${families.readyEndpoints[0]}`);
    const { maxEndpoints = mostEndpoints } = options;
    return { ...load, readyEndpoints: Math.min(load.readyEndpoints, maxEndpoints) };
  } catch (cause) {
    throw new Error(`${where}: ${(cause as Error).message}`, { cause });
  }
}

/** Returns undefined if the page has no metric of ready endpoints. */
export function loadOf(page: Buffer): ClusterLoad | undefined {
  const found = new Map<string, number>();
  let queued = 0;
  scanner.scan(page, ({ family, value }) => {
    if (!Number.isFinite(value) || value < 0) return;
    if (family === queuedHere) queued += value;
    else found.set(family, value);
  });
  const numberOf = (names: readonly string[]) =>
    names.map((name) => found.get(name)).find((value) => value !== undefined);
  const readyEndpoints = numberOf(families.readyEndpoints);
  if (readyEndpoints === undefined) return undefined;
  const atEndpoints = numberOf(families.averageQueueSize) ?? 0;
  return { readyEndpoints, averageQueueSize: atEndpoints + queued / Math.max(1, readyEndpoints) };
}

const unauthorized =
  "that picker does not know this reader; start it with --metrics-endpoint-auth=false, or with --metrics-client-ca-file and this picker with --remote-metrics-tls and --remote-cert-path";

const fetchPage = (
  url: string,
  { address, scheme, tls, timeoutMs, reach }: PickerLoadOptions,
): Promise<Buffer> =>
  new Promise((resolve, reject) => {
    const problem = isIP(address.host) === 0 ? undefined : reach(address.host);
    if (problem !== undefined) throw new Error(`the address ${problem}`);
    const request = scheme === "https" ? httpsRequest : httpRequest;
    const signal = AbortSignal.timeout(timeoutMs);
    request(url, { ...tls, signal, agent: false, lookup: lookupWithin(reach) }, (response) => {
      const { statusCode } = response;
      readBody(response, { what: "the page", maxBytes: maxLoadPageBytes }).then((page) => {
        if (statusCode === 200) resolve(page);
        else if (statusCode === 401 || statusCode === 403) reject(new Error(unauthorized));
        else reject(new Error(`status ${statusCode}`));
      }, reject);
    })
      .on("error", reject)
      .end();
  });
