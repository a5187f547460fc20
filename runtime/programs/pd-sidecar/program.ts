import { port } from "../../manager/flags/flag-type.ts";
import type { Program } from "../../manager/program.ts";
import { tracingOptions } from "../../manager/tracing/flags.ts";
import { flags } from "./flags.ts";
import type { PdSidecarOptions } from "./start.ts";

/** Default port of bootstrap servers. */
const bootstrapPort = 8_998;

const portOf = (text: string | undefined): number => port.parse(text ?? "") ?? bootstrapPort;

/** Sends the prompts of a decoder's requests to prefillers. */
export const program: Program<typeof flags, PdSidecarOptions> = {
  name: "pd-sidecar",
  title: "the decode sidecar",
  summary: `The sidecar in front of a decoder's engine. If a request names a prefiller, the prefiller computes the prompt, and
the decoder fetches its KV cache.`,
  flags,
  problems: ({ allowList: { isOn, selector } }) =>
    isOn && selector === undefined
      ? [
          "--enable-ssrf-protection: needs to know the prefillers; give --prefiller-selector, or --enable-ssrf-protection=false if only trusted clients can reach the sidecar",
        ]
      : [],
  options: ({ transfer, ...values }, env) => ({
    ...{ ...values, transfer },
    spans: tracingOptions(values.tracing, env, "llm-d-disagg-sidecar"),
    podIp: env.POD_IP || undefined,
    connectorPorts: {
      sglangBootstrap: transfer.sglangBootstrapPort ?? portOf(env.SGLANG_BOOTSTRAP_PORT),
      mooncakeBootstrap: transfer.mooncakeBootstrapPort ?? portOf(env.MOONCAKE_BOOTSTRAP_PORT),
      offloading: transfer.offloadingPort,
    },
    namespace: values.allowList.namespace ?? (env.NAMESPACE || "default"),
    verbosity: values.operations.verbosity,
  }),
  start: async (options, log) => (await import("./start.ts")).startPdSidecar(options, log),
};
