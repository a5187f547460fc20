import type { Endpoint } from "../../endpoint.ts";
import { PairHealth } from "../../pair-health.ts";
import type { Decider, HandlerResult, ProfileHandler } from "../../plugin.ts";
import { encoderHeader, prefillerHeader } from "../../routing-headers.ts";

interface Stages {
  readonly order: "decode-first" | "prefill-first";
  readonly decode: string;
  readonly prefill: string;
  readonly encode: string;
  /** Whether a request is prefilled elsewhere once its decoder is known; undefined: never. */
  readonly decider: Decider | undefined;
  /** Whether encoders work on a request first; undefined: never. */
  readonly encodeDecider: Decider | undefined;
}

/**
 * Runs the decode profile, and the prefill profile where the decider wants it; prefill-first runs both for every
 * request. A request that finds no prefiller is decoded all the same: the decoder prefills. Pairs that fail are avoided:
 * the pod that is chosen second is one that the first works with. Where the encode decider wants it, the endpoints that
 * the encode profile picks are named too; without one the others encode.
 */
export function inStages(stages: Stages): Required<ProfileHandler> {
  const { order, decode, prefill, encode, decider, encodeDecider } = stages;
  const pairs = new PairHealth();
  const result = (
    primary: HandlerResult["primary"],
    prefiller: Endpoint | undefined,
    encoders: readonly Endpoint[] = [],
  ): HandlerResult => ({
    primary,
    prefillers: prefiller === undefined ? [] : [prefiller],
    encoders,
    headers: [
      ...(prefiller === undefined ? [] : ([[prefillerHeader, prefiller.address]] as const)),
      ...(encoders.length === 0
        ? []
        : ([[encoderHeader, encoders.map(({ address }) => address).join(",")]] as const)),
    ],
  });
  return {
    disaggregates: true,
    pairs,
    handle(cycle, run) {
      const { now } = cycle.chance;
      const prefillerFor = (decoder: Endpoint | undefined) =>
        run(prefill, (endpoints) => pairs.prefillers(endpoints, now, decoder))?.endpoints[0];
      const encodersFor = (decoder: Endpoint | undefined) =>
        encodeDecider?.disaggregate(cycle, decoder) ? (run(encode)?.endpoints ?? []) : [];
      const decodersFor = (prefiller: Endpoint | undefined) =>
        run(decode, (endpoints) => pairs.decoders(endpoints, now, prefiller));
      if (order === "prefill-first") {
        const prefiller = prefillerFor(undefined);
        const encoders = encodersFor(undefined);
        return result(decodersFor(prefiller), prefiller, encoders);
      }
      const primary = decodersFor(undefined);
      const decoder = primary?.endpoints[0];
      if (decoder === undefined) return result(primary, undefined);
      const encoders = encodersFor(decoder);
      const wanted = decider?.disaggregate(cycle, decoder);
      return result(primary, wanted ? prefillerFor(decoder) : undefined, encoders);
    },
    // The decoder prefills what nobody read: whether it pays to do that elsewhere depends on the prompt.
    handleUnread: (_, run) => result(run(decode), undefined),
  };
}
