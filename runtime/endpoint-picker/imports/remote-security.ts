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
  optionsFor(service: string, host: string): ConnectionOptions;
}

/** For networks that encrypt and verify by themselves. */
export const plaintext: RemoteSecurity = { scheme: "http", optionsFor: () => ({}) };

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
  optionsFor(service, host) {
    const { serverName } = options;
    const names =
      serverName === undefined ? namesOfService(service, namespace, host) : [serverName];
    return tlsOptions(options, files(), names);
  },
});
