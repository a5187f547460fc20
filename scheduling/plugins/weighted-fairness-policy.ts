import { z } from "zod";
import { FairShares } from "../flow-control/fair-shares.ts";
import type { Ticket } from "../flow-control/flow-request.ts";
import type { FairFlow } from "../flow-control/policies.ts";
import { pluginType } from "../plugin.ts";

const weight = z.number().positive();

export const weightedFairnessPolicy = pluginType({
  type: "weighted-fairness-policy",
  kinds: ["fairness"],
  summary:
    "Shares a band among flows by weight: dispatches from the flow that has used the least relative to its weight. Exists only in this picker.",
  parameters: z.strictObject({
    unit: z
      .enum(["requests", "tokens"])
      .default("tokens")
      .describe(
        "Unit of usage. With tokens, a flow is charged at dispatch for the prompt and a quarter of its recent mean response length. While the request runs, it is charged for the tokens that responses usually generate in that time. When the response ends, the actual usage replaces these estimates.",
      ),
    weights: z
      .record(z.string().min(1), weight)
      .default({})
      .describe("Weights by flow. They override the `share` of an LLMService."),
    defaultWeight: weight.default(1).describe("Weight of flows without an entry or a share."),
    quantumTokens: z
      .number()
      .min(0)
      .default(0)
      .describe(
        "Usage of a flow with weight 1 before the next flow's turn. Larger values keep requests of a flow together.",
      ),
  }),
  create: ({ unit, weights, defaultWeight, quantumTokens }) => ({
    fairness: {
      forBand() {
        const quantum = unit === "tokens" ? quantumTokens : 0;
        const shares = new FairShares<FairFlow>({ unit, quantum });
        const byFlow = new Map(Object.entries(weights));
        const weightOf = ({ id }: FairFlow, { request }: Ticket) =>
          byFlow.get(id) ?? request.share ?? defaultWeight;
        return {
          sharesQueue: true,
          headChanged(flow) {
            if (flow.head === undefined) shares.leave(flow, flow.requests > 0);
            else shares.enter(flow, weightOf(flow, flow.head));
          },
          pick: () => shares.next,
          dispatched: (flow, ticket, now) => shares.dispatched(flow, ticket, now),
          passed: (flow, ticket, now) => shares.pass(flow, weightOf(flow, ticket), ticket, now),
          completed: (flow, ticket, usage, now) => shares.completed(flow, ticket, usage, now),
          forget: (flow) => shares.forget(flow),
        };
      },
    },
  }),
});
