import type { Endpoint } from "../endpoint.ts";
import type { Decider, HandlerResult, ProfileHandler } from "../plugin.ts";
import { prefillerHeader } from "../routing-headers.ts";

interface Stages {
  readonly order: "decode-first" | "prefill-first";
  readonly decode: string;
  readonly prefill: string;
  /** Whether a request is prefilled elsewhere once its decoder is known; undefined: never. */
  readonly decider: Decider | undefined;
}

/**
 * Runs the decode profile, and the prefill profile where the decider wants it; prefill-first runs both for every
 * request. A request that finds no prefiller is decoded all the same: the decoder prefills.
 */
export function inStages({ order, decode, prefill, decider }: Stages): Required<ProfileHandler> {
  const prefillerOf = (run: (name: string) => HandlerResult["primary"]) =>
    run(prefill)?.endpoints[0];
  const result = (
    primary: HandlerResult["primary"],
    prefiller: Endpoint | undefined,
  ): HandlerResult => ({
    primary,
    prefillers: prefiller === undefined ? [] : [prefiller],
    headers: prefiller === undefined ? [] : [[prefillerHeader, prefiller.address]],
  });
  return {
    disaggregates: true,
    handle(cycle, run) {
      if (order === "prefill-first") {
        const prefiller = prefillerOf(run);
        return result(run(decode), prefiller);
      }
      const primary = run(decode);
      const wanted = primary !== undefined && decider?.disaggregate(cycle, primary.endpoints[0]);
      return result(primary, wanted ? prefillerOf(run) : undefined);
    },
    // The decoder prefills what nobody read: whether it pays to do that elsewhere depends on the prompt.
    handleUnread: (_, run) => result(run(decode), undefined),
  };
}
