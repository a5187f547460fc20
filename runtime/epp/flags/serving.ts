import { pickerDrain } from "../../../sdk/spec/picker-drain.ts";
import { runtimePorts } from "../../../sdk/topology/runtime-ports.ts";
import { limits } from "../../limits.ts";
import { byteSize } from "../../manager/flags/byte-size.ts";
import type { FlagGroup, GroupValues } from "../../manager/flags/command-line.ts";
import { duration } from "../../manager/flags/duration.ts";
import { offByDefault, port } from "../../manager/flags/flag-type.ts";
import { defaultStreamLimits } from "../server/open-streams.ts";

/** Flags for serving proxies, for every picker. */
export const servingFlags = {
  title: "Serving",
  flags: {
    port: {
      name: "grpc-port",
      summary: "Port of the ext_proc service, for proxies.",
      type: port,
      default: runtimePorts.extProc,
    },
    healthPort: {
      name: "grpc-health-port",
      summary: "Port of the gRPC health service, for probes.",
      type: port,
      default: runtimePorts.health,
    },
    healthOnPort: offByDefault("health-checking", "Serves the health service on --grpc-port too."),
    maxReceiveBytes: {
      name: "grpc-max-recv-msg-size",
      summary:
        "Largest message that is accepted from a proxy. Without the flag, 1 MiB more than the largest body.",
      type: byteSize,
    },
    maxBodyBytes: {
      name: "max-request-body-size",
      summary: "Largest body of a request; larger ones are rejected with 413.",
      type: byteSize,
      default: limits.requestBody.value,
    },
    maxBufferedBytes: {
      name: "max-buffered-body-size",
      summary:
        "Bytes of all incomplete request bodies in memory. Without the flag, a quarter of the heap. Further requests are rejected with 503.",
      type: byteSize,
    },
    drainTimeoutMs: {
      name: "drain-timeout",
      summary:
        "Time after SIGTERM during which requests are still accepted, while proxies switch to other replicas.",
      type: duration,
      default: 1_000 * pickerDrain.window,
    },
    shutdownTimeoutMs: {
      name: "shutdown-timeout",
      summary: "Time after --drain-timeout for running responses to finish; then they are cut off.",
      type: duration,
      default: 1_000 * pickerDrain.answers,
    },
    requestTimeoutMs: {
      name: "request-timeout",
      summary: "Longest time for a complete request to arrive; then the client gets 408.",
      type: duration,
      default: defaultStreamLimits.requestTimeoutMs,
    },
    maxStreamAgeMs: {
      name: "max-stream-age",
      summary:
        "Maximum age of a proxy's stream. A request whose end was not observed stops counting at this age.",
      type: duration,
      default: defaultStreamLimits.maxStreamAgeMs,
    },
    leaderElection: offByDefault(
      "ha-enable-leader-election",
      "Only one of several replicas is ready; the others are on standby.",
    ),
  },
} satisfies FlagGroup;

export type ServingOptions = GroupValues<typeof servingFlags>;

/** Returns the size of the largest message that is accepted from a proxy, in bytes. */
export const maxReceiveBytes = ({
  maxReceiveBytes,
  maxBodyBytes,
}: Pick<ServingOptions, "maxReceiveBytes" | "maxBodyBytes">): number =>
  maxReceiveBytes ?? maxBodyBytes + limits.messageOverhead.value;
