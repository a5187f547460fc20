import { z } from "zod";
import { positiveInteger } from "../../kubernetes/kinds/field-types.ts";
import { named, words } from "../schemas/argument.ts";

const OnFailure = words(
  "RolloutFailure",
  "Handling of replicas with the new pod template if a rollout fails.",
  {
    Stop: ["stop", "They keep it, and the remaining replicas keep the previous one."],
    Rollback: [
      "rollback",
      "They get the previous template again, one after the other, before `pulumi up` ends with the error.",
    ],
  },
);

const RolloutGate = named(
  "RolloutGate",
  z.strictObject({
    maxErrorPercent: z
      .number()
      .min(0)
      .max(100)
      .default(1)
      .describe(
        "Maximum share of responses with status 500 or above, in percent. If the other replicas respond to the same clients with a higher share, that share is the limit, up to five times this one or 5 %. A difference that chance explains, or that one client causes, does not fail the gate.",
      ),
    maxFirstTokenRatio: z
      .number()
      .min(1)
      .max(100)
      .default(2)
      .describe(
        "Maximum median time to the first token of streamed responses, relative to the median of the other replicas in the same time.",
      ),
    minResponses: positiveInteger
      .max(1_000_000)
      .default(50)
      .describe(
        "Number of responses of the new replicas before the next replica is updated. With more errors than permitted, more responses are counted, up to waitSeconds.",
      ),
    waitSeconds: z
      .int()
      .min(0)
      .max(86_400)
      .default(120)
      .describe(
        "Maximum time in seconds to wait for minResponses, so that a service with few requests is updated as well.",
      ),
  }),
).describe(
  "Limits that the responses of replicas with the new pod template must keep during a rollout.",
);

export type RolloutGate = z.infer<typeof RolloutGate>;

export const ServiceRollout = named(
  "ServiceRollout",
  z.strictObject({
    gate: RolloutGate.optional().describe(
      "Limits that the responses of replicas with the new pod template must keep. Needs a router with a dedicated picker, which then follows responses. `{}` uses the defaults. Default: a rollout depends only on the readiness of pods.",
    ),
    onFailure: OnFailure.default("stop").describe(
      "Handling of replicas with the new pod template if pods do not start or the gate fails.",
    ),
  }),
).describe(
  "How `pulumi up` replaces the replicas of a service. Other tools that apply the manifests ignore it.",
);

export type ServiceRollout = z.infer<typeof ServiceRollout>;
