import type { FlagGroup, GroupValues } from "../../manager/flags/command-line.ts";
import { boolean, type FlagType, listOf, oneOf, textOf } from "../../manager/flags/flag-type.ts";
import { cipherSuites, type TlsVersion, tlsVersions } from "../../manager/tls/go-names.ts";

/** A version by Go's name for it. */
const tlsVersion: FlagType<TlsVersion> = {
  ...{ placeholder: "VERSION", allowed: oneOf(...tlsVersions.keys()).allowed },
  parse: (name) => tlsVersions.get(name),
  show: String,
};

/** The TLS of the ext_proc service. */
export const tlsFlags = {
  title: "TLS",
  flags: {
    secure: {
      name: "secure-serving",
      summary: "Serves ext_proc over TLS.",
      type: boolean,
      default: true,
    },
    certificateDirectory: {
      name: "cert-path",
      summary:
        "Directory with tls.crt and tls.key; without one a self-signed certificate is made at start.",
      type: textOf("DIR"),
    },
    clientCaFile: {
      name: "client-ca-file",
      summary:
        "Certificates of the CAs that gateways and other pickers must have a certificate of; without the flag they need none.",
      type: textOf("FILE"),
    },
    reload: {
      name: "enable-cert-reload",
      summary: "Takes a new certificate of --cert-path without a restart.",
      type: boolean,
      default: false,
    },
    minVersion: {
      name: "tls-min-version",
      summary: "Oldest TLS version that is spoken; without the flag VersionTLS12.",
      type: tlsVersion,
    },
    cipherSuites: {
      name: "tls-cipher-suites",
      summary: "Cipher suites up to TLS 1.2, by Go's names; those of TLS 1.3 are always on.",
      type: listOf({ ...oneOf(...cipherSuites), placeholder: "SUITE" }),
      default: [],
    },
  },
} satisfies FlagGroup;

export type TlsOptions = GroupValues<typeof tlsFlags>;
