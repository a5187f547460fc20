import { z } from "zod";
import { describedPlugin } from "../plugin-description.ts";

const source = z
  .strictObject({
    header: z.string().optional(),
    attribute: z.string().optional().describe("Refused: only headers are read."),
    producer: z.string().optional().describe("Not used."),
  })
  .refine(({ header = "", attribute = "" }) => header !== "" && attribute === "", {
    message: "only headers are read: give header alone",
    path: ["header"],
  });

const parameters = z.strictObject({
  strategy: z.enum(["encoded_endpoint_header", "session_id"]).default("encoded_endpoint_header"),
  encodedEndpointHeaderConfig: z
    .strictObject({ header: z.string().default("").describe("Empty: x-session-token.") })
    .prefault({}),
  sessionIdConfig: z
    .strictObject({
      sources: z.array(source).default([]).describe("Empty: header x-session-id."),
      evictionTtlSeconds: z.number().min(0).default(0).describe("0: 300."),
      evictionSweepSeconds: z.number().min(0).default(0).describe("Not used."),
    })
    .prefault({}),
  profileName: z
    .string()
    .default("")
    .describe("The profile whose endpoint a session_id stays with; empty: the one that answers."),
});

export type SessionAffinityParameters = z.infer<typeof parameters>;

export const sessionAffinityFilter = describedPlugin({
  type: "session-affinity-filter",
  kinds: ["filter"],
  summary: "The pod of the session, as long as it is there.",
  parameters,
});

export const sessionAffinityScorer = describedPlugin({
  type: "session-affinity-scorer",
  kinds: ["scorer"],
  summary: "1 for the pod of the session, 0 for the others.",
  parameters,
});
