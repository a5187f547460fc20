import type { Log } from "../../manager/log.ts";
import type { GatewayProbes } from "../imports/cluster-route.ts";
import { type ParentOptions, parentFlags } from "./flags.ts";
import { watchedTls } from "./watched-tls.ts";

/**
 * Creates the probes of other clusters' gateways.
 *
 * @param hops hop count at which a cluster does not forward a request
 * @param onChange called when the certificate files change
 */
export async function gatewayProbes(
  { serverName, caFile, probePath, probeHost }: ParentOptions,
  namespace: string,
  hops: number,
  log: Log,
  onChange: () => void,
): Promise<{ readonly probes: GatewayProbes; stop(): void }> {
  const caFlag = `--${parentFlags.flags.caFile.name}`;
  const own = { caFile, caFlag, certificateDirectory: undefined, insecure: false };
  const tls =
    serverName === undefined
      ? undefined
      : await watchedTls({ ...own, serverName }, namespace, log, onChange);
  const request = probePath === undefined ? undefined : { path: probePath, host: probeHost, hops };
  return { probes: { security: tls?.security, request }, stop: () => tls?.stop() };
}
