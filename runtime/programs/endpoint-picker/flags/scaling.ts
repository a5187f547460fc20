import type { FlagGroup } from "../../../manager/flags/command-line.ts";
import { entriesOf, integer } from "../../../manager/flags/flag-type.ts";

/** Flags for autoscalers that scale the service of the pool. */
export const scalingFlags = {
  title: "Autoscaling",
  flags: {
    unit: {
      name: "scale-unit",
      summary:
        "Replicas of each role by which an autoscaler scales the service, such as prefill=1,decode=2. Page /scaling and metric llm_d_epp_desired_replicas then report the number of replicas that the present requests need.",
      type: entriesOf("ROLE", integer(1, 1_000_000)),
      default: new Map<string, number>(),
    },
    targetUtilization: {
      name: "scale-target-utilization",
      summary: "Share of the slots that requests may use at that number of replicas, in percent.",
      type: integer(1, 100),
      default: 80,
    },
  },
} satisfies FlagGroup;
