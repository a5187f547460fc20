import { pickerDrain } from "../../../sdk/spec/picker-drain.ts";
import { runtimePorts } from "../../../sdk/topology/runtime-ports.ts";
import { limits } from "../../limits.ts";
import { byteSize } from "../../manager/flags/byte-size.ts";
import type { FlagGroup, GroupValues } from "../../manager/flags/command-line.ts";
import { duration } from "../../manager/flags/duration.ts";
import { boolean, port } from "../../manager/flags/flag-type.ts";
import { defaultStreamLimits } from "../server/open-streams.ts";

/** How proxies are served, by every picker. */
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
    healthOnPort: {
      name: "health-checking",
      summary: "Serves the health service on --grpc-port too.",
      type: boolean,
      default: false,
    },
    maxReceiveBytes: {
      name: "grpc-max-recv-msg-size",
      summary:
        "Largest message that is taken from a proxy; without the flag 1 MiB more than the largest body.",
      type: byteSize,
    },
    maxBodyBytes: {
      name: "max-request-body-size",
      summary: "Largest body of a request; larger ones are refused with 413.",
      type: byteSize,
      default: limits.requestBody.value,
    },
    maxBufferedBytes: {
      name: "max-buffered-body-size",
      summary:
        "Bytes of all bodies that are held until they are whole; without the flag a quarter of the heap. Requests for which there is no room are refused with 503.",
      type: byteSize,
    },
    drainTimeoutMs: {
      name: "drain-timeout",
      summary:
        "Time after SIGTERM in which requests are still taken, while proxies learn to go elsewhere.",
      type: duration,
      default: 1_000 * pickerDrain.window,
    },
    shutdownTimeoutMs: {
      name: "shutdown-timeout",
      summary: "Time after --drain-timeout for which running answers may go on; then they end too.",
      type: duration,
      default: 1_000 * pickerDrain.answers,
    },
    requestTimeoutMs: {
      name: "request-timeout",
      summary: "Time in which a request must have come in full; then the client is answered 408.",
      type: duration,
      default: defaultStreamLimits.requestTimeoutMs,
    },
    maxStreamAgeMs: {
      name: "max-stream-age",
      summary:
        "Age at which a stream of a proxy is ended, and a request counts no more whose end nobody saw.",
      type: duration,
      default: defaultStreamLimits.maxStreamAgeMs,
    },
    leaderElection: {
      name: "ha-enable-leader-election",
      summary: "Only one of several replicas is ready; the others stand by.",
      type: boolean,
      default: false,
    },
  },
} satisfies FlagGroup;

export type ServingOptions = GroupValues<typeof servingFlags>;

/** The largest message that is taken from a proxy. */
export const maxReceiveBytes = ({
  maxReceiveBytes,
  maxBodyBytes,
}: Pick<ServingOptions, "maxReceiveBytes" | "maxBodyBytes">): number =>
  maxReceiveBytes ?? maxBodyBytes + limits.messageOverhead.value;
