import type { Log } from "../../manager/log.ts";
import type { GatewayProbes } from "../imports/cluster-route.ts";
import { type ParentOptions, parentFlags } from "./flags.ts";
import { watchedTls } from "./watched-tls.ts";

/**
 * How gateways of other clusters are looked at.
 *
 * @param hops as a request has that goes to no further cluster
 * @param onChange the files of certificates changed
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
