import type { FlagGroup, GroupValues } from "../../manager/flags/command-line.ts";
import {
  type FlagType,
  listOf,
  offByDefault,
  onByDefault,
  oneOf,
  textOf,
} from "../../manager/flags/flag-type.ts";
import { cipherSuites, type TlsVersion, tlsVersions } from "../../manager/tls/go-names.ts";

/** A TLS version by Go's name for it. */
const tlsVersion: FlagType<TlsVersion> = {
  ...{ placeholder: "VERSION", allowed: oneOf(...tlsVersions.keys()).allowed },
  parse: (name) => tlsVersions.get(name),
  show: String,
};

/** Flags for the TLS of the ext_proc service. */
export const tlsFlags = {
  title: "TLS",
  flags: {
    secure: onByDefault("secure-serving", "Serves ext_proc over TLS."),
    certificateDirectory: {
      name: "cert-path",
      summary:
        "Directory with tls.crt and tls.key. Without it, a self-signed certificate is created at start.",
      type: textOf("DIR"),
    },
    clientCaFile: {
      name: "client-ca-file",
      summary:
        "CA certificates. Gateways and other pickers must present a certificate that one of these CAs signed. Without the flag, they need none.",
      type: textOf("FILE"),
    },
    reload: offByDefault(
      "enable-cert-reload",
      "Reloads the certificate of --cert-path when it changes.",
    ),
    minVersion: {
      name: "tls-min-version",
      summary: "Oldest TLS version that is accepted. Without the flag, VersionTLS12.",
      type: tlsVersion,
    },
    cipherSuites: {
      name: "tls-cipher-suites",
      summary:
        "Cipher suites up to TLS 1.2, by Go's names; the suites of TLS 1.3 are always enabled.",
      type: listOf({ ...oneOf(...cipherSuites), placeholder: "SUITE" }),
      default: [],
    },
  },
} satisfies FlagGroup;

export type TlsOptions = GroupValues<typeof tlsFlags>;
