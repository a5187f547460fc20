import { z } from "zod";
import { wordsOf } from "./argument.ts";

/** Policies for requests whose body the picker cannot read, on a pool with rules that need the body. */
export const unparsedBodyPolicies = ["reject", "allow"] as const;
export type UnparsedBodies = (typeof unparsedBodyPolicies)[number];

const meanings: Readonly<Record<UnparsedBodies, string>> = {
  reject: "It rejects them with 403 if the pool has rules that cannot be applied to such a body.",
  allow: "It forwards them unread, with the model and fields that the client set.",
};

const Policy = wordsOf(
  "UnparsedBodies",
  "How a picker treats requests whose body it cannot read.",
  unparsedBodyPolicies,
  (policy) => meanings[policy],
);

/** A header that names tenants. */
export const tenantHeader = z
  .string()
  .max(64)
  .regex(/^[A-Za-z0-9-]+$/, "a header name");

/** How a picker takes requests. */
export const pickerRequestFields = {
  tenantHeader: tenantHeader
    .optional()
    .describe(
      "Header that names the tenant whose share a request takes while requests wait, such as x-llm-d-inference-fairness-id. The gateway has to set it, since clients can. Default: none, so that requests without an LLMService share one queue.",
    ),
  unparsedBodies: Policy.optional().describe(
    "How the picker treats requests whose body it cannot read, such as text or a form that is not plain. It cannot apply rewrites, registrations and the removal of engines' fields to them. Default reject.",
  ),
};
