import type { ConnectionOptions } from "node:tls";
import {
  namesOfService,
  type RemoteTlsFiles,
  type RemoteTlsOptions,
  tlsOptions,
} from "./remote-tls.ts";

/** How to connect to pickers of other clusters. */
export interface RemoteSecurity {
  readonly scheme: "http" | "https";
  /** Called for each connection. */
  optionsFor(picker: PickerLocation): ConnectionOptions;
}

/** Identity of a picker in another cluster, against which its certificate is checked. */
export interface PickerLocation {
  readonly cluster: string;
  /** Name of its Service. */
  readonly service: string;
  readonly host: string;
}

/** No TLS, for networks that encrypt and authenticate all traffic. */
export const plaintext: RemoteSecurity = { scheme: "http", optionsFor: () => ({}) };

/**
 * Placeholder for the cluster's name in a server name, so that one cluster's certificate is invalid for another
 * cluster.
 */
export const clusterInName = "{cluster}";

/**
 * TLS with verified certificates, unless `options.insecure` is set.
 *
 * @param files called for each connection, because certificates change
 */
export const secured = (
  options: RemoteTlsOptions,
  files: () => RemoteTlsFiles,
  namespace: string,
): RemoteSecurity => ({
  scheme: "https",
  optionsFor({ cluster, service, host }) {
    const { serverName } = options;
    const names =
      serverName === undefined
        ? namesOfService(service, namespace, host)
        : [serverName.replaceAll(clusterInName, cluster)];
    return tlsOptions(options, files(), names);
  },
});
