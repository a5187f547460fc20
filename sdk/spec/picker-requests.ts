import { z } from "zod";
import { wordsOf } from "../schemas/argument.ts";

/** Policies for requests whose body the picker cannot read, on a pool whose rules need the body. */
export const unparsedBodyPolicies = ["reject", "allow"] as const;
export type UnparsedBodies = (typeof unparsedBodyPolicies)[number];

const meanings: Readonly<Record<UnparsedBodies, string>> = {
  reject: "It rejects them with 403 if the pool has rules that cannot be applied to such a body.",
  allow: "It forwards them unread, with the model and fields that the client set.",
};

const Policy = wordsOf(
  "UnparsedBodies",
  "How a picker handles requests whose body it cannot read.",
  unparsedBodyPolicies,
  (policy) => meanings[policy],
);

/** Header that names tenants, or two headers whose values name a tenant together, such as an issuer and a claim. */
export const tenantHeader = z
  .string()
  .max(128)
  .regex(/^[A-Za-z0-9-]{1,64}(,[A-Za-z0-9-]{1,64})?$/, "a header name, or two with a comma");

/** Fields that set how a picker handles requests. */
export const pickerRequestFields = {
  tenantHeader: tenantHeader
    .optional()
    .describe(
      "Header with the tenant whose share a queued request uses, such as x-llm-d-inference-fairness-id. The gateway must set the header, because clients can forge it. Two headers with a comma, such as the issuer of a token and its claim, name a tenant together. Default: none; requests without an LLMService share one queue. With a router's `access`: x-llm-d-inference-fairness-id.",
    ),
  unparsedBodies: Policy.optional().describe(
    "How the picker handles requests whose body it cannot read, such as plain text, URL-encoded forms or compressed forms. Rewrites, registrations and the removal of engines' fields do not apply to them. Default reject.",
  ),
};
