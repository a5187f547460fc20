import { counters, type Family, gauge, histograms } from "../../manager/metrics/family.ts";

const seconds = [0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120];

/** Reason that the decoder prefilled although the request named a prefiller. */
export type LocalReason =
  | "not-allowed"
  | "unreachable"
  | "server-error"
  | "unreadable"
  | "no-transfer"
  | "same-pod";

export type Stage = "encode" | "prefill" | "decode";

export class SidecarMetrics {
  readonly families: readonly Family[];
  /** In-flight requests. */
  running = 0;
  /** Ready prefillers that the sidecar may connect to. */
  allowed = 0;
  readonly #requests = counters({
    name: "pd_sidecar_requests_total",
    help: "Requests by their API, and by whether a prefiller was used.",
    labels: ["api", "prefiller"],
  });
  readonly #local = counters({
    name: "pd_sidecar_local_prefills_total",
    help: "Requests that named a prefiller and were prefilled by the decoder.",
    labels: ["reason"],
  });
  readonly #localEncodes = counters({
    name: "pd_sidecar_local_encodes_total",
    help: "Requests that named encoders, but whose images and sounds the other engines encoded.",
    labels: ["reason"],
  });
  readonly #repeats = counters({
    name: "pd_sidecar_decode_retries_total",
    help: "Decoder failures after which the request was sent again without KV transfer parameters.",
    labels: [],
  });
  readonly #seconds = histograms({
    name: "pd_sidecar_stage_duration_seconds",
    help: "Seconds from sending the request of a stage to the end of its response.",
    labels: ["stage", "outcome"],
    bounds: seconds,
  });
  readonly #bytes = counters({
    name: "pd_sidecar_body_bytes_total",
    help: "Bytes of HTTP bodies sent to and received from engines.",
    labels: ["stage", "direction"],
  });

  constructor() {
    this.families = [
      ...[
        this.#requests,
        this.#local,
        this.#localEncodes,
        this.#repeats,
        this.#seconds,
        this.#bytes,
      ],
      gauge("pd_sidecar_requests_running", "In-flight requests.", () => this.running),
      gauge(
        "pd_sidecar_allowed_prefillers",
        "Pods that are Ready and may prefill.",
        () => this.allowed,
      ),
    ];
  }

  asked(api: string, hasPrefiller: boolean): void {
    this.#requests.series(api, String(hasPrefiller)).value += 1;
  }

  prefilledLocally(reason: LocalReason): void {
    this.#local.series(reason).value += 1;
  }

  encodedLocally(reason: LocalReason): void {
    this.#localEncodes.series(reason).value += 1;
  }

  repeated(): void {
    this.#repeats.series().value += 1;
  }

  ended(stage: Stage, outcome: "ok" | "failed", since: number): void {
    this.#seconds.series(stage, outcome).observe((performance.now() - since) / 1000);
  }

  moved(stage: Stage, direction: "sent" | "received", bytes: number): void {
    this.#bytes.series(stage, direction).value += bytes;
  }
}
