import type { ConnectionOptions } from "node:tls";
import {
  namesOfService,
  type RemoteTlsFiles,
  type RemoteTlsOptions,
  tlsOptions,
} from "./remote-tls.ts";

/** How connections to pickers of other clusters are made. */
export interface RemoteSecurity {
  readonly scheme: "http" | "https";
  /** Asked for each connection. */
  optionsFor(picker: PickerLocation): ConnectionOptions;
}

/** A picker of another cluster, as far as its certificate tells it from others. */
export interface PickerLocation {
  readonly cluster: string;
  /** Name of its Service. */
  readonly service: string;
  readonly host: string;
}

/** For networks that encrypt and verify by themselves. */
export const plaintext: RemoteSecurity = { scheme: "http", optionsFor: () => ({}) };

/** Stands for the cluster's name in the name of a server: the certificate of one picker is not good for another's. */
export const clusterInName = "{cluster}";

/**
 * TLS, verified unless told otherwise.
 *
 * @param files asked for each connection: certificates change
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
