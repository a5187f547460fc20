import { z } from "zod";
import { validations } from "../../kubernetes/kinds/validation-rules.ts";
import { LLMServerPoolSpec } from "../spec/llm-server-pool.ts";

/**
 * The LLMServerPool in an API server. It contains `services` only to reject it with a message that names its
 * replacement.
 */
export const LLMServerPoolObjectSpec = LLMServerPoolSpec.partial({ modelServerSelector: true })
  .extend({
    services: z
      .array(z.string())
      .max(64)
      .optional()
      .describe("Not supported: set the pods' labels in modelServerSelector."),
  })
  .meta(
    validations(
      {
        rule: "!has(self.services)",
        message:
          "services is not supported, because a pool has only one selector: add a common label to the pods of these Services and set it in modelServerSelector",
      },
      {
        rule: "has(self.modelServerSelector) || has(self.services)",
        message: "modelServerSelector is required: labels of the model servers' pods",
      },
    ),
  );
