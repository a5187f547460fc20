import { z } from "zod";
import { type PluginContext, pluginType } from "../../profiles/plugin.ts";
import { inStages } from "./stages.ts";

const stageOrder = z
  .string()
  .default("decode-first")
  .transform((text, context) => {
    const words = text.toLowerCase().replaceAll(/[-_]/g, "");
    if (/^(decode(first)?)?$/.test(words)) return "decode-first";
    if (/^prefill(first)?$/.test(words)) return "prefill-first";
    context.addIssue({
      code: "custom",
      message: `"${text}" is not a stage order: write decode-first or prefill-first`,
    });
    return z.NEVER;
  });

const nested = z
  .strictObject({
    stageOrder: stageOrder.describe("decode-first, or prefill-first without a decider."),
    sameKvFormat: z
      .boolean()
      .default(false)
      .describe(
        "Whether a decoder uses only prefillers of the same image, model and KV cache options. Without one, the decoder prefills.",
      ),
    profiles: z
      .strictObject({
        decode: z.string().default("decode"),
        prefill: z.string().default("prefill"),
        encode: z.string().default("encode"),
      })
      .prefault({}),
    deciders: z
      .strictObject({
        prefill: z
          .string()
          .optional()
          .describe("Without a decider, the decoder prefills every request."),
        encode: z.string().optional().describe("Without a decider, no encoder is used."),
      })
      .prefault({}),
  })
  .refine((given) => given.stageOrder === "decode-first" || !given.deciders.prefill, {
    message: "stageOrder prefill-first sends every request to a prefiller: leave the decider out",
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

/** Converts the older, flat parameters to the nested ones. A mix of both is left unchanged: the schema refuses it. */
function withoutFlatFields(given: unknown): unknown {
  if (typeof given !== "object" || given === null) return given;
  const fields: Record<string, unknown> = { ...given };
  const isFlat = flatFields.some((name) => Object.hasOwn(fields, name));
  if (!isFlat || Object.hasOwn(fields, "profiles") || Object.hasOwn(fields, "deciders"))
    return given;
  const taken = (name: string) => {
    const value = Object.hasOwn(fields, name) ? fields[name] : undefined;
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
  kinds: ["profileHandler"],
  summary: "Selects a decoder, and a prefiller and encoders if the deciders request them.",
  parameters: z.preprocess(withoutFlatFields, nested),
  deciders: ({ deciders: { encode, prefill } }) => [encode, prefill].flatMap((name) => name || []),
  profiles: ({ stageOrder, profiles: { decode, prefill, encode }, deciders }) => [
    decode,
    ...(stageOrder === "prefill-first" || deciders.prefill ? [prefill] : []),
    ...(deciders.encode ? [encode] : []),
  ],
  create({ stageOrder: order, profiles, deciders, sameKvFormat }, context) {
    const decider = deciderOf(deciders.prefill, context);
    const encodeDecider = deciderOf(deciders.encode, context);
    return {
      profileHandler: inStages({ order, ...profiles, decider, encodeDecider, sameKvFormat }),
    };
  },
});
