import { z } from "zod";
import { describedPlugin } from "../plugin-description.ts";

export const singleProfileHandler = describedPlugin({
  type: "single-profile-handler",
  kinds: ["profileHandler"],
  summary: "Runs the only profile.",
  parameters: z.looseObject({}),
  single: true,
});

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

export type StageOrder = z.infer<typeof stageOrder>;

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

export const disaggProfileHandler = describedPlugin({
  type: "disagg-profile-handler",
  kinds: ["profileHandler"],
  summary: "Chooses a decoder, and a prefiller where the decider wants one.",
  parameters: z.preprocess(withoutFlatFields, nested),
  deciders: ({ deciders: { encode, prefill } }) => [encode, prefill].flatMap((name) => name || []),
  profiles: ({ stageOrder, profiles: { decode, prefill }, deciders }) =>
    stageOrder === "prefill-first" || deciders.prefill ? [decode, prefill] : [decode],
  warnings: ({ deciders: { encode } }) =>
    encode ? ["disagg-profile-handler: encoders are not chosen, servers encode themselves"] : [],
});

export const pdProfileHandler = describedPlugin({
  type: "pd-profile-handler",
  kinds: ["profileHandler"],
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
  deciders: ({ deciderPluginName }) => [deciderPluginName],
  profiles: ({ decodeProfile, prefillProfile }) => [decodeProfile, prefillProfile],
});

export const headerProfileHandler = describedPlugin({
  type: "header-profile-handler",
  kinds: ["profileHandler"],
  summary:
    "Runs the profile that a header of the request names; the only one whatever the header says.",
  parameters: z.strictObject({
    headerName: z.string().default("").describe("Empty: epp-profile."),
    defaultProfile: z.string().default("").describe("Empty: decode."),
  }),
});

export const dataParallelProfileHandler = describedPlugin({
  type: "data-parallel-profile-handler",
  kinds: ["profileHandler"],
  summary:
    "Runs the only profile and sends the request to one port of the pod, with the chosen rank in a header.",
  parameters: z.strictObject({
    primaryPort: z
      .number()
      .int()
      .min(1)
      .max(65_535)
      .default(8000)
      .describe("Where the pod's sidecar listens."),
  }),
  single: true,
});
