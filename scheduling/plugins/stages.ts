import { EdgeHealth } from "../edge-health.ts";
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
 * request. A request that finds no prefiller is decoded all the same: the decoder prefills. Pairs that fail are avoided:
 * the pod that is chosen second is one that the first works with.
 */
export function inStages({ order, decode, prefill, decider }: Stages): Required<ProfileHandler> {
  const edges = new EdgeHealth();
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
    edges,
    handle(cycle, run) {
      const { now } = cycle.chance;
      const prefillerFor = (decoder: Endpoint | undefined) =>
        run(prefill, (endpoints) => edges.prefillers(endpoints, now, decoder))?.endpoints[0];
      const decodersFor = (prefiller: Endpoint | undefined) =>
        run(decode, (endpoints) => edges.decoders(endpoints, now, prefiller));
      if (order === "prefill-first") {
        const prefiller = prefillerFor(undefined);
        return result(decodersFor(prefiller), prefiller);
      }
      const primary = decodersFor(undefined);
      const decoder = primary?.endpoints[0];
      const wanted = decoder !== undefined && decider?.disaggregate(cycle, decoder);
      return result(primary, wanted ? prefillerFor(decoder) : undefined);
    },
    // The decoder prefills what nobody read: whether it pays to do that elsewhere depends on the prompt.
    handleUnread: (_, run) => result(run(decode), undefined),
  };
}
