import type { FlagGroup, GroupValues } from "../flags/command-line.ts";
import { boolean, type FlagType, textOf } from "../flags/flag-type.ts";
import type { Environment } from "../program.ts";
import type { TracingOptions } from "./tracing.ts";

const ratio: FlagType<number> = {
  placeholder: "SHARE",
  allowed: "a number from 0 to 1",
  parse: (text) => {
    const number = Number(text);
    return text.trim() !== "" && number >= 0 && number <= 1 ? number : undefined;
  },
  show: String,
};

const endpoint: FlagType<string> = {
  ...textOf("URL"),
  allowed: "a URL such as http://collector:4317",
  parse: (text) => (/^https?:\/\/[^/]+/.test(text) ? text : undefined),
};

/** Receiver on the same host, the default of `--tracing` (OTLP specification). */
const localEndpoint = "http://localhost:4317";
/** Default of llm-d-router. */
const defaultRatio = 0.1;

/** Flags for the receiver and sampling of spans. */
export const tracingFlags = {
  title: "Tracing",
  flags: {
    endpoint: {
      name: "otlp-endpoint",
      summary:
        "OTLP receiver (gRPC) of spans. Without the flag: $OTEL_EXPORTER_OTLP_TRACES_ENDPOINT, otherwise $OTEL_EXPORTER_OTLP_ENDPOINT. If none is set, there are no spans.",
      type: endpoint,
    },
    sampleRatio: {
      name: "otlp-sample-ratio",
      summary: `Share of recorded requests among those without a trace in their headers. A request with a trace is recorded if that trace is. Without the flag: $OTEL_TRACES_SAMPLER_ARG, otherwise ${defaultRatio}.`,
      type: ratio,
    },
    isOn: {
      name: "tracing",
      summary: `If false, no spans are sent, regardless of the environment. If true, spans are sent to ${localEndpoint} if no receiver is set.`,
      type: boolean,
    },
  },
} satisfies FlagGroup;

/**
 * Returns the receiver of a program's spans; undefined if tracing is off, as with $OTEL_SDK_DISABLED=true or
 * $OTEL_TRACES_EXPORTER=none.
 */
export function tracingOptions(
  values: GroupValues<typeof tracingFlags>,
  env: Environment,
  service: string,
): TracingOptions | undefined {
  const endpoint =
    values.endpoint ??
    (env.OTEL_EXPORTER_OTLP_TRACES_ENDPOINT ||
      env.OTEL_EXPORTER_OTLP_ENDPOINT ||
      (values.isOn === true ? localEndpoint : undefined));
  const isOff =
    values.isOn === false ||
    env.OTEL_SDK_DISABLED === "true" ||
    env.OTEL_TRACES_EXPORTER === "none";
  if (endpoint === undefined || isOff) return undefined;
  return {
    endpoint,
    sampleRatio:
      values.sampleRatio ?? ratio.parse(env.OTEL_TRACES_SAMPLER_ARG ?? "") ?? defaultRatio,
    resource: {
      "service.name": service,
      "k8s.namespace.name": env.NAMESPACE || undefined,
      "k8s.pod.name": env.POD_NAME || undefined,
    },
  };
}
