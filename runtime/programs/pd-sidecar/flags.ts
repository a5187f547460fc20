import { kvConnectorNames } from "../../../sdk/topology/decode-sidecar.ts";
import { sidecarPorts } from "../../../sdk/topology/runtime-ports.ts";
import { limits } from "../../limits.ts";
import { byteSize } from "../../manager/flags/byte-size.ts";
import type { FlagTable } from "../../manager/flags/command-line.ts";
import { duration } from "../../manager/flags/duration.ts";
import { boolean, integer, listOf, oneOf, port, textOf } from "../../manager/flags/flag-type.ts";
import { kubeconfigFlag, verbosityFlag } from "../../manager/flags/operations.ts";
import { tracingFlags } from "../../manager/tracing/flags.ts";
import { encoderConnectorNames } from "./encode.ts";
import { prefillFallbacks } from "./sidecar.ts";

/** Engines that are reached in a way of their own. */
const engines = oneOf("prefiller", "decoder", "encoder");

/** Flags of llm-d-router's sidecar have its names and, where it says nothing else, its defaults. */
export const flags = {
  serving: {
    title: "Serving",
    flags: {
      port: {
        name: "port",
        summary: "Port of the pod's requests.",
        type: port,
        default: sidecarPorts.serving,
      },
      bindAddress: {
        name: "bind-address",
        summary: "Address of that port; without the flag every address of the pod.",
        type: textOf("IP"),
      },
      modelServerPort: {
        name: "model-server-port",
        summary: "Port of the engine beside the sidecar.",
        type: port,
        default: sidecarPorts.modelServer,
      },
      modelServerHost: {
        name: "model-server-host",
        summary: "Host of that engine.",
        type: textOf("HOST"),
        default: "localhost",
      },
      dataParallelSize: {
        name: "data-parallel-size",
        summary:
          "Ranks of the engine: rank i is served on port + i and listens on model-server-port + i.",
        type: integer(1, 256),
        default: 1,
      },
      maxBodyBytes: {
        name: "max-request-body-size",
        summary: "Longest body of a request that is read.",
        type: byteSize,
        default: limits.requestBody.value,
      },
      requestTimeoutMs: {
        name: "request-timeout",
        summary: "How long a request may take to come in full.",
        type: duration,
        default: limits.requestTime.value,
      },
      shutdownTimeoutMs: {
        name: "shutdown-timeout",
        summary: "How long requests that run may go on after SIGTERM.",
        type: duration,
        default: 60_000,
      },
    },
  },
  transfer: {
    title: "Prefill and decode",
    flags: {
      connector: {
        name: "kv-connector",
        summary: "How the engines hand over a KV cache.",
        type: oneOf(...kvConnectorNames),
        default: "nixlv2",
      },
      encoderConnector: {
        name: "ec-connector",
        summary:
          "How encoders hand over what they made of a chat's pictures and sounds. Without the flag no encoder is asked.",
        type: oneOf(...encoderConnectorNames),
      },
      sglangBootstrapPort: {
        name: "sglang-bootstrap-port",
        summary:
          "Port of the bootstrap servers of SGLang's prefillers. Without the flag $SGLANG_BOOTSTRAP_PORT, else 8998.",
        type: port,
      },
      mooncakeBootstrapPort: {
        name: "mooncake-bootstrap-port",
        summary:
          "Port of Mooncake's bootstrap servers on prefillers. Without the flag $MOONCAKE_BOOTSTRAP_PORT, else 8998.",
        type: port,
      },
      offloadingPort: {
        name: "p2p-connector-port",
        summary: "Port of the peer-to-peer tier of prefillers' OffloadingConnector.",
        type: port,
        default: 7_777,
      },
      prefillFallback: {
        name: "prefill-fallback",
        summary:
          "What becomes of a request whose prefiller failed: the decoder prefills, or the request fails.",
        type: oneOf(...prefillFallbacks),
        default: "local",
      },
      prefillMaxRetries: {
        name: "prefill-max-retries",
        summary:
          "How often a prefiller is asked again that was not reached or answered 502 to 504.",
        type: integer(0, 100),
        default: 0,
      },
      prefillRetryBackoffMs: {
        name: "prefill-retry-backoff",
        summary: "Wait before it is asked again.",
        type: duration,
        default: 200,
      },
      prefillTimeoutMs: {
        name: "prefill-timeout",
        summary: "How long a prefiller may take.",
        type: duration,
        default: 300_000,
      },
      connectTimeoutMs: {
        name: "connect-timeout",
        summary: "How long a connection to an engine may take to open.",
        type: duration,
        default: 500,
      },
      samplesPrefiller: {
        name: "enable-prefiller-sampling",
        summary: "Asks a random one of the prefillers that a request names, not the first.",
        type: boolean,
        default: false,
      },
      maxIdleConnections: {
        name: "max-idle-conns-per-host",
        summary: "Connections to an engine that are kept open.",
        type: integer(0, 65_535),
        default: 1_024,
      },
    },
  },
  allowList: {
    title: "Allow-list",
    flags: {
      isOn: {
        name: "enable-ssrf-protection",
        summary:
          "Connects to prefillers of --prefiller-selector that are Ready, and to nothing else.",
        type: boolean,
        default: true,
      },
      selector: {
        name: "prefiller-selector",
        summary: "Labels of the prefillers' pods, such as a=b,c=d.",
        type: textOf("LABELS"),
      },
      ports: {
        name: "prefiller-ports",
        summary: "Ports on which they serve; without the flag --port, and one more for each rank.",
        type: listOf(port),
        default: [],
      },
      encoderSelector: {
        name: "encoder-selector",
        summary: "Labels of the encoders' pods. Without the flag none is asked.",
        type: textOf("LABELS"),
      },
      encoderPorts: {
        name: "encoder-ports",
        summary: "Ports on which they serve; without the flag those of prefillers.",
        type: listOf(port),
        default: [],
      },
      namespace: {
        name: "namespace",
        summary: "Their namespace. Without the flag $NAMESPACE, else default.",
        type: textOf("NAMESPACE"),
      },
      kubeconfig: kubeconfigFlag,
    },
  },
  tls: {
    title: "TLS",
    flags: {
      secure: {
        name: "secure-proxy",
        summary: "Serves over TLS.",
        type: boolean,
        default: true,
      },
      certificateDirectory: {
        name: "cert-path",
        summary:
          "Directory with tls.crt and tls.key, read again when they change; without one a self-signed certificate is made at start.",
        type: textOf("DIR"),
      },
      engines: {
        name: "enable-tls",
        summary: "Engines that are reached over TLS.",
        type: listOf(engines),
        default: [],
      },
      unverified: {
        name: "tls-insecure-skip-verify",
        summary: "Engines whose certificates are not verified.",
        type: listOf(engines),
        default: [],
      },
    },
  },
  tracing: tracingFlags,
  operations: {
    title: "Operations",
    flags: {
      metricsPort: {
        name: "metrics-port",
        summary: "Port of /metrics, which anybody may read.",
        type: port,
        default: sidecarPorts.metrics,
      },
      healthPort: {
        name: "health-port",
        summary:
          "Port of the gRPC health service, which tells whether the sidecar lives. Whether the engine is ready its own /health tells, through the sidecar.",
        type: port,
        default: sidecarPorts.health,
      },
      verbosity: verbosityFlag,
    },
  },
} satisfies FlagTable;
