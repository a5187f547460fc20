import { hostPort } from "../../endpoints/endpoint.ts";
import type { HandlerResult } from "../../profiles/plugin.ts";
import { dataParallelHeader } from "../../requests/routing-headers.ts";

/**
 * Sends the request to the pod's primary port, whose sidecar forwards it to the selected rank. This is for proxies that
 * reach only one port of a pod. Loads and scores still belong to the rank.
 */
export function behindPrimaryPort(result: HandlerResult, port: number): HandlerResult {
  const { primary, headers } = result;
  const rank = primary?.endpoints[0];
  if (primary === undefined || rank === undefined) return result;
  const endpoints = primary.endpoints.map((endpoint) => ({
    ...endpoint,
    port,
    address: hostPort(endpoint.ip, port),
  }));
  return {
    ...result,
    primary: { ...primary, endpoints },
    headers: [...headers, [dataParallelHeader, rank.address]],
  };
}
