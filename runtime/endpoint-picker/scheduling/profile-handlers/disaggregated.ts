import { z } from "zod";
import type { Endpoint } from "../../datastore/endpoint.ts";
import {
  type Decider,
  type HandlerResult,
  type PluginContext,
  type ProfileHandler,
  pluginType,
} from "../plugin.ts";

/** Header by which a decoder's sidecar learns who prefills. */
export const prefillerHeader = "x-prefiller-host-port";

const stageOrder = z.enum(["decode-first", "prefill-first"]).default("decode-first");

interface Stages {
  readonly order: z.infer<typeof stageOrder>;
  readonly decode: string;
  readonly prefill: string;
  /** Undefined where nothing is ever prefilled elsewhere. */
  readonly decider: Decider | undefined;
}

/**
 * Runs the decode profile, and the prefill profile where the decider wants it. A request that finds no prefiller is
 * decoded all the same: the decoder prefills.
 */
function handler({ order, decode, prefill, decider }: Stages): ProfileHandler {
  const result = (
    primary: HandlerResult["primary"],
    prefiller: Endpoint | undefined,
  ): HandlerResult => ({
    primary,
    prefillers: prefiller === undefined ? [] : [prefiller],
    headers: prefiller === undefined ? [] : [[prefillerHeader, prefiller.address]],
  });
  return {
    profiles: decider === undefined ? [decode] : [decode, prefill],
    ownHeaders: [prefillerHeader],
    handle(cycle, run) {
      if (order === "prefill-first") {
        const wanted = decider?.disaggregate(cycle, cycle.candidates[0]) ?? false;
        const prefiller = wanted ? run(prefill)?.endpoints[0] : undefined;
        return result(run(decode), prefiller);
      }
      const primary = run(decode);
      const wanted = primary !== undefined && decider?.disaggregate(cycle, primary.endpoints[0]);
      return result(primary, wanted ? run(prefill)?.endpoints[0] : undefined);
    },
  };
}

const nested = z.strictObject({
  stageOrder,
  profiles: z
    .strictObject({
      decode: z.string().default("decode"),
      prefill: z.string().default("prefill"),
      encode: z.string().optional(),
    })
    .prefault({}),
  deciders: z
    .strictObject({ prefill: z.string().optional(), encode: z.string().optional() })
    .prefault({}),
});

/** The older, flat form. */
const flat = z.strictObject({
  stageOrder,
  decodeProfile: z.string().default("decode"),
  prefillProfile: z.string().default("prefill"),
  encodeProfile: z.string().optional(),
  encodeDeciderPluginName: z.string().optional(),
  prefillDeciderPluginName: z.string().optional(),
  deciderPluginName: z.string().optional(),
  prefixPluginType: z.string().optional(),
  prefixPluginName: z.string().optional(),
  primaryPort: z.number().int().optional(),
  prefixMatchInfoProducerName: z.string().optional(),
});

const isFlat = (given: unknown) =>
  typeof given === "object" &&
  given !== null &&
  Object.keys(given).some((key) => /Profile$|PluginName$|PluginType$|^primaryPort$/.test(key));

const deciderOf = (name: string | undefined, context: PluginContext) =>
  name === undefined || name === "" ? undefined : context.decider(name);

export const disaggProfileHandler = pluginType({
  type: "disagg-profile-handler",
  summary: "Chooses a decoder, and a prefiller where the decider wants one.",
  parameters: z.unknown().transform((given, context) => {
    const parsed = (isFlat(given) ? flat : nested).safeParse(given ?? {});
    if (parsed.success) return parsed.data;
    for (const issue of parsed.error.issues)
      context.addIssue({ code: "custom", message: issue.message, path: issue.path });
    return z.NEVER;
  }),
  create(given, context) {
    const nestedForm = "profiles" in given;
    const encoder = nestedForm ? given.deciders.encode : given.encodeDeciderPluginName;
    if (encoder !== undefined)
      context.warn("disagg-profile-handler: encoders are not chosen, servers encode themselves");
    return {
      profileHandler: handler(
        nestedForm
          ? {
              order: given.stageOrder,
              ...given.profiles,
              decider: deciderOf(given.deciders.prefill, context),
            }
          : {
              order: given.stageOrder,
              decode: given.decodeProfile,
              prefill: given.prefillProfile,
              decider: deciderOf(
                given.prefillDeciderPluginName ?? given.deciderPluginName,
                context,
              ),
            },
      ),
    };
  },
});

export const pdProfileHandler = pluginType({
  type: "pd-profile-handler",
  summary: "The older form of disagg-profile-handler.",
  parameters: flat.omit({ stageOrder: true, prefillDeciderPluginName: true }),
  create: ({ decodeProfile, prefillProfile, deciderPluginName }, context) => ({
    profileHandler: handler({
      order: "decode-first",
      decode: decodeProfile,
      prefill: prefillProfile,
      decider: deciderOf(deciderPluginName, context),
    }),
  }),
});
