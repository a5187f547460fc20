import { z } from "zod";
import type { Endpoint } from "../../datastore/endpoint.ts";
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
function handler({ order, decode, prefill, decider }: Stages): ProfileHandler {
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
    profiles: order === "prefill-first" || decider !== undefined ? [decode, prefill] : [decode],
    ownHeaders: [prefillerHeader, encodersHeader],
    handle(cycle, run) {
      if (order === "prefill-first") {
        const prefiller = prefillerOf(run);
        return result(run(decode), prefiller);
      }
      const primary = run(decode);
      const wanted = primary !== undefined && decider?.disaggregate(cycle, primary.endpoints[0]);
      return result(primary, wanted ? prefillerOf(run) : undefined);
    },
  };
}

const stageOrder = z
  .string()
  .default("decode-first")
  .transform((text, context) => {
    const words = text.toLowerCase().replaceAll(/[-_]/g, "");
    if (/^(decode(first)?)?$/.test(words)) return "decode-first";
    if (/^prefill(first)?$/.test(words)) return "prefill-first";
    context.addIssue({
      code: "custom",
      message: `"${text}" is no stage order: write decode-first or prefill-first`,
    });
    return z.NEVER;
  });

const nested = z
  .strictObject({
    stageOrder: stageOrder.describe("decode-first or prefill-first; the latter has no decider."),
    profiles: z
      .strictObject({
        decode: z.string().default("decode"),
        prefill: z.string().default("prefill"),
        encode: z.string().optional().describe("Not run."),
      })
      .prefault({}),
    deciders: z
      .strictObject({
        prefill: z.string().optional().describe("Without one nothing is prefilled elsewhere."),
        encode: z.string().optional().describe("Not asked."),
      })
      .prefault({}),
  })
  .refine((given) => given.stageOrder === "decode-first" || !given.deciders.prefill, {
    message: "stageOrder prefill-first prefills every request elsewhere: leave the decider out",
    path: ["deciders", "prefill"],
  });

const flatFields = [
  "decodeProfile",
  "prefillProfile",
  "encodeProfile",
  "prefillDeciderPluginName",
  "encodeDeciderPluginName",
  "deciderPluginName",
];

/** The older, flat form in terms of the nested one; both at once are left for the schema to refuse. */
function withoutFlatFields(given: unknown): unknown {
  if (typeof given !== "object" || given === null) return given;
  const fields: Record<string, unknown> = { ...given };
  const isFlat = flatFields.some((name) => name in fields);
  if (!isFlat || "profiles" in fields || "deciders" in fields) return given;
  const taken = (name: string) => {
    const value = fields[name];
    delete fields[name];
    return value === "" ? undefined : value;
  };
  const profiles = {
    decode: taken("decodeProfile"),
    prefill: taken("prefillProfile"),
    encode: taken("encodeProfile"),
  };
  const older = taken("deciderPluginName");
  const deciders = {
    prefill: taken("prefillDeciderPluginName") ?? older,
    encode: taken("encodeDeciderPluginName"),
  };
  return { ...fields, profiles, deciders };
}

const deciderOf = (name: string | undefined, context: PluginContext) =>
  name === undefined || name === "" ? undefined : context.decider(name);

export const disaggProfileHandler = pluginType({
  type: "disagg-profile-handler",
  summary: "Chooses a decoder, and a prefiller where the decider wants one.",
  parameters: z.preprocess(withoutFlatFields, nested),
  create({ stageOrder: order, profiles, deciders }, context) {
    if (deciderOf(deciders.encode, context) !== undefined)
      context.warn("disagg-profile-handler: encoders are not chosen, servers encode themselves");
    const decider = deciderOf(deciders.prefill, context);
    return { profileHandler: handler({ order, ...profiles, decider }) };
  },
});

export const pdProfileHandler = pluginType({
  type: "pd-profile-handler",
  summary: "The older form of disagg-profile-handler.",
  parameters: z.strictObject({
    decodeProfile: z.string().default("decode"),
    prefillProfile: z.string().default("prefill"),
    deciderPluginName: z.string().min(1).default("prefix-based-pd-decider"),
    primaryPort: z
      .number()
      .int()
      .min(0)
      .max(65_535)
      .default(0)
      .describe("As data-parallel-profile-handler's; 0: the endpoint's own port."),
    prefixPluginType: z.string().optional().describe("Not used."),
    prefixPluginName: z.string().optional().describe("Not used."),
    prefixMatchInfoProducerName: z.string().optional().describe("Not used."),
  }),
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
      },
    };
  },
});
