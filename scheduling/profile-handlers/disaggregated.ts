import * as handlers from "../config/plugins/profile-handlers.ts";
import type { Endpoint } from "../endpoint.ts";
import {
  type Decider,
  type HandlerResult,
  type PluginContext,
  type ProfileHandler,
  pluginType,
} from "../plugin.ts";
import { behindPrimaryPort, dataParallelHeader } from "./primary-port.ts";

/** Header by which a decoder's sidecar learns who prefills. */
export const prefillerHeader = "x-prefiller-host-port";
/** Header by which it learns who encodes: never set here, and never let through. */
export const encodersHeader = "x-encoder-hosts-ports";

interface Stages {
  readonly order: handlers.StageOrder;
  readonly decode: string;
  readonly prefill: string;
  /** Whether a request is prefilled elsewhere once its decoder is known; undefined: never. */
  readonly decider: Decider | undefined;
}

/**
 * Runs the decode profile, and the prefill profile where the decider wants it; prefill-first runs both for every
 * request. A request that finds no prefiller is decoded all the same: the decoder prefills.
 */
function handler({ order, decode, prefill, decider }: Stages): Required<ProfileHandler> {
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
    ownHeaders: [prefillerHeader, encodersHeader],
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

const deciderOf = (name: string | undefined, context: PluginContext) =>
  name === undefined || name === "" ? undefined : context.decider(name);

export const disaggProfileHandler = pluginType({
  ...handlers.disaggProfileHandler,
  create({ stageOrder: order, profiles, deciders }, context) {
    const decider = deciderOf(deciders.prefill, context);
    return { profileHandler: handler({ order, ...profiles, decider }) };
  },
});

export const pdProfileHandler = pluginType({
  ...handlers.pdProfileHandler,
  create({ decodeProfile, prefillProfile, deciderPluginName, primaryPort }, context) {
    const stages = handler({
      order: "decode-first",
      decode: decodeProfile,
      prefill: prefillProfile,
      decider: context.decider(deciderPluginName),
    });
    if (primaryPort === 0) return { profileHandler: stages };
    return {
      profileHandler: {
        ...stages,
        ownHeaders: [...stages.ownHeaders, dataParallelHeader],
        handle: (cycle, run) => behindPrimaryPort(stages.handle(cycle, run), primaryPort),
        handleUnread: (cycle, run) =>
          behindPrimaryPort(stages.handleUnread(cycle, run), primaryPort),
      },
    };
  },
});
