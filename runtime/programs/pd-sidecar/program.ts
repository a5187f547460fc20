import type { Program } from "../../manager/program.ts";
import { flags } from "./flags.ts";
import type { PdSidecarOptions } from "./start.ts";

/** Sends the prompts of a decoder's requests to prefillers. */
export const program: Program<typeof flags, PdSidecarOptions> = {
  name: "pd-sidecar",
  title: "the decode sidecar",
  summary: `The sidecar in front of a decoder's engine: where a request names a prefiller, that computes the prompt and
the decoder fetches its KV cache.`,
  flags,
  problems: ({ allowList: { isOn, selector } }) =>
    isOn && selector === undefined
      ? [
          "--enable-ssrf-protection: which pods are prefillers is not told; give --prefiller-selector, or --enable-ssrf-protection=false where nobody else can reach the sidecar",
        ]
      : [],
  options: (values, env) => ({
    ...values,
    podIp: env.POD_IP || undefined,
    namespace: values.allowList.namespace ?? (env.NAMESPACE || "default"),
    verbosity: values.operations.verbosity,
  }),
  start: async (options, log) => (await import("./start.ts")).startPdSidecar(options, log),
};
