import { kvConnectorNames } from "../../../sdk/engines/interface/engine.ts";
import { sidecarPorts } from "../../../sdk/topology/runtime-ports.ts";
import { limits } from "../../limits.ts";
import { byteSize } from "../../manager/flags/byte-size.ts";
import type { FlagTable } from "../../manager/flags/command-line.ts";
import { duration } from "../../manager/flags/duration.ts";
import {
  integer,
  listOf,
  offByDefault,
  onByDefault,
  oneOf,
  port,
  textOf,
} from "../../manager/flags/flag-type.ts";
import { kubeconfigFlag, verbosityFlag } from "../../manager/flags/operations.ts";
import { tracingFlags } from "../../manager/tracing/flags.ts";
import { encoderConnectorNames } from "./encode.ts";
import { prefillFallbacks } from "./sidecar.ts";

/** Roles of engines with their own TLS settings. */
const engines = oneOf("prefiller", "decoder", "encoder");

/** Flags that llm-d-router's sidecar also has keep its names and, unless documented otherwise, its defaults. */
export const flags = {
  serving: {
    title: "Serving",
    flags: {
      port: {
        name: "port",
        summary: "Port for requests to the pod.",
        type: port,
        default: sidecarPorts.serving,
      },
      bindAddress: {
        name: "bind-address",
        summary: "Address of that port. Without the flag, every address of the pod.",
        type: textOf("IP"),
      },
      modelServerPort: {
        name: "model-server-port",
        summary: "Port of the engine in the same pod.",
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
        summary: "Largest request body.",
        type: byteSize,
        default: limits.requestBody.value,
      },
      requestTimeoutMs: {
        name: "request-timeout",
        summary: "Longest time for a complete request to arrive.",
        type: duration,
        default: limits.requestTime.value,
      },
      shutdownTimeoutMs: {
        name: "shutdown-timeout",
        summary: "Time after SIGTERM for in-flight requests to finish.",
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
        summary: "Connector that transfers the KV cache between engines.",
        type: oneOf(...kvConnectorNames),
        default: "nixlv2",
      },
      encoderConnector: {
        name: "ec-connector",
        summary:
          "Connector that transfers the encoded images and sounds of a chat. Without the flag, encoders are not used.",
        type: oneOf(...encoderConnectorNames),
      },
      sglangBootstrapPort: {
        name: "sglang-bootstrap-port",
        summary:
          "Port of the bootstrap servers of SGLang's prefillers. Without the flag: $SGLANG_BOOTSTRAP_PORT, otherwise 8998.",
        type: port,
      },
      mooncakeBootstrapPort: {
        name: "mooncake-bootstrap-port",
        summary:
          "Port of Mooncake's bootstrap servers on prefillers. Without the flag: $MOONCAKE_BOOTSTRAP_PORT, otherwise 8998.",
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
          "Action if the prefiller of a request fails: the decoder prefills, or the request fails.",
        type: oneOf(...prefillFallbacks),
        default: "local",
      },
      prefillMaxRetries: {
        name: "prefill-max-retries",
        summary: "Retries of a prefiller that was not reached or returned 502 to 504.",
        type: integer(0, 100),
        default: 0,
      },
      prefillRetryBackoffMs: {
        name: "prefill-retry-backoff",
        summary: "Delay before a retry.",
        type: duration,
        default: 200,
      },
      prefillTimeoutMs: {
        name: "prefill-timeout",
        summary: "Timeout of a prefiller.",
        type: duration,
        default: 300_000,
      },
      connectTimeoutMs: {
        name: "connect-timeout",
        summary: "Timeout for opening a connection to an engine.",
        type: duration,
        default: 500,
      },
      samplesPrefiller: offByDefault(
        "enable-prefiller-sampling",
        "Uses a random prefiller of those in the request, instead of the first.",
      ),
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
      isOn: onByDefault(
        "enable-ssrf-protection",
        "Connects only to Ready prefillers of --prefiller-selector.",
      ),
      selector: {
        name: "prefiller-selector",
        summary: "Labels of the prefillers' pods, such as a=b,c=d.",
        type: textOf("LABELS"),
      },
      ports: {
        name: "prefiller-ports",
        summary:
          "Ports of the prefillers. Without the flag, --port and the next port for each further rank.",
        type: listOf(port),
        default: [],
      },
      encoderSelector: {
        name: "encoder-selector",
        summary: "Labels of the encoders' pods. Without the flag, encoders are not used.",
        type: textOf("LABELS"),
      },
      encoderPorts: {
        name: "encoder-ports",
        summary: "Ports of the encoders. Without the flag, the ports of the prefillers.",
        type: listOf(port),
        default: [],
      },
      namespace: {
        name: "namespace",
        summary: "Their namespace. Without the flag: $NAMESPACE, otherwise default.",
        type: textOf("NAMESPACE"),
      },
      kubeconfig: kubeconfigFlag,
    },
  },
  tls: {
    title: "TLS",
    flags: {
      secure: onByDefault("secure-proxy", "Serves over TLS."),
      certificateDirectory: {
        name: "cert-path",
        summary:
          "Directory with tls.crt and tls.key, reloaded when they change. Without the flag, a self-signed certificate is created at start.",
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
        summary: "Port of /metrics, which needs no authentication.",
        type: port,
        default: sidecarPorts.metrics,
      },
      healthPort: {
        name: "health-port",
        summary:
          "Port of the gRPC health service, for the sidecar's liveness. For the engine's readiness, use its /health through the sidecar.",
        type: port,
        default: sidecarPorts.health,
      },
      verbosity: verbosityFlag,
    },
  },
} satisfies FlagTable;
