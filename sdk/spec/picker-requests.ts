import { z } from "zod";
import { wordsOf } from "./argument.ts";

/** How a picker treats requests whose body it cannot read, on a pool whose rules such a body would go around. */
export const unknownPathPolicies = ["refuse", "pass"] as const;
export type UnknownPaths = (typeof unknownPathPolicies)[number];

const meanings: Readonly<Record<UnknownPaths, string>> = {
  refuse: "It refuses them with 403 if the pool has rules that such a body goes around.",
  pass: "It passes them on unread, with the client's own model and fields.",
};

const Policy = wordsOf(
  "UnknownPaths",
  "How a picker treats requests whose body it cannot read.",
  unknownPathPolicies,
  (policy) => meanings[policy],
);

/** A header that names tenants. */
export const tenantHeader = z
  .string()
  .max(64)
  .regex(/^[A-Za-z0-9-]+$/, "the name of a header");

/** How a picker takes requests. */
export const pickerRequestFields = {
  tenantHeader: tenantHeader
    .optional()
    .describe(
      "Header that names the tenant whose share a request takes while requests wait, such as x-llm-d-inference-fairness-id. The gateway has to set it, since clients can. Default: none, so that requests without an LLMService share one queue.",
    ),
  unknownPaths: Policy.optional().describe(
    "How the picker treats requests whose body it cannot read, such as text or a form that is not plain. It cannot apply rewrites, registrations and the removal of engines' fields to them. Default refuse.",
  ),
};
