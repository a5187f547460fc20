import { runtimePorts } from "../../../sdk/topology/runtime-ports.ts";
import type { FlagGroup } from "../../manager/flags/command-line.ts";
import { duration } from "../../manager/flags/duration.ts";
import { integer, onByDefault, port, textOf } from "../../manager/flags/flag-type.ts";

/** Flags for the metrics, debug pages and logs of a picker. */
export const pageFlags = {
  title: "Metrics and logs",
  flags: {
    port: {
      name: "metrics-port",
      summary: "Port of /metrics and /debug.",
      type: port,
      default: runtimePorts.metrics,
    },
    auth: onByDefault(
      "metrics-endpoint-auth",
      "Authorizes readers of the metrics through the API server. Off by default with --file-source, which uses no API server.",
    ),
    certificateDirectory: {
      name: "metrics-cert-dir",
      summary:
        "Directory with tls.crt and tls.key of the metrics port; without it, the port serves plain HTTP.",
      type: textOf("DIR"),
    },
    clientCaFile: {
      name: "metrics-client-ca-file",
      summary:
        "CA certificates. Readers of the metrics port must present a certificate that one of these CAs signed.",
      type: textOf("FILE"),
    },
    objectiveWindowMs: {
      name: "objective-window",
      summary:
        "Time window of the P95 latencies that are reported next to the objectives of LLMServices.",
      type: duration,
      default: 300_000,
    },
    verbosity: {
      name: "v",
      shorthand: "v",
      summary: "Verbosity of the log; 4 and more show debug lines.",
      type: integer(-1, 127),
      default: 2,
    },
    zapLogLevel: {
      name: "zap-log-level",
      summary: "Verbosity as a zap level (error, info, debug or a number); overrides -v.",
      type: {
        placeholder: "LEVEL",
        allowed: "error, info, debug or a number from 1 to 127",
        parse: (level: string) =>
          new Map([
            ["error", -1],
            ["info", 0],
            ["debug", 4],
          ]).get(level) ?? integer(1, 127).parse(level),
        show: String,
      },
    },
  },
} satisfies FlagGroup;
