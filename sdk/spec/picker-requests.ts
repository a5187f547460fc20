import { z } from "zod";
import { words } from "./argument.ts";

const UnknownPaths = words(
  "UnknownPaths",
  "What a picker does with requests whose body it cannot read.",
  {
    Refuse: [
      "refuse",
      "It refuses them with 403 if the pool has rules that such a body goes around.",
    ],
    Pass: ["pass", "It passes them on unread, with the client's own model and fields."],
  },
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
  unknownPaths: UnknownPaths.optional().describe(
    "What the picker does with requests whose body it cannot read, such as text or a form that is not plain. It cannot apply rewrites, registrations and the removal of engines' fields to them. Default refuse.",
  ),
};
