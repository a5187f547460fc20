import type { Endpoint } from "../../endpoints/endpoint.ts";
import { PairHealth } from "../../pairs/pair-health.ts";
import type { Decider, HandlerResult, ProfileHandler } from "../../profiles/plugin.ts";
import { encoderHeader, prefillerHeader } from "../../requests/routing-headers.ts";

interface Stages {
  readonly order: "decode-first" | "prefill-first";
  readonly decode: string;
  readonly prefill: string;
  readonly encode: string;
  /** Whether a prefiller computes the prompt, once the decoder is selected; undefined: never. */
  readonly decider: Decider | undefined;
  /** Whether the prefiller and the decoder of a request must have equal KV formats. */
  readonly sameKvFormat: boolean;
  /** Whether encoders process a request first; undefined: never. */
  readonly encodeDecider: Decider | undefined;
}

/**
 * Runs the decode profile, and the prefill profile if the decider requests it. With prefill-first, both run for every
 * request. If no prefiller is found, the decoder computes the prompt. Failing pairs are avoided: the pod that is
 * selected second must work with the first one. If the encode decider requests encoders, the header names the endpoints
 * that the encode profile picks. If there are none, the other pods encode.
 */
export function inStages(stages: Stages): Required<ProfileHandler> {
  const { order, decode, prefill, encode, decider, encodeDecider, sameKvFormat } = stages;
  const pairs = new PairHealth();
  const fitting = (endpoints: readonly Endpoint[], partner: Endpoint | undefined) =>
    sameKvFormat && partner !== undefined
      ? endpoints.filter(({ kvFormat }) => kvFormat === partner.kvFormat)
      : endpoints;
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
        run(prefill, (all) => pairs.prefillers(fitting(all, decoder), now, decoder))?.endpoints[0];
      const encodersFor = (decoder: Endpoint | undefined) =>
        encodeDecider?.disaggregate(cycle, decoder) ? (run(encode)?.endpoints ?? []) : [];
      const decodersFor = (prefiller: Endpoint | undefined) =>
        run(decode, (all) => pairs.decoders(fitting(all, prefiller), now, prefiller));
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
    // The decoder prefills a request whose body was not read: whether a prefiller is worth it depends on the prompt.
    handleUnread: (_, run) => result(run(decode), undefined),
  };
}
