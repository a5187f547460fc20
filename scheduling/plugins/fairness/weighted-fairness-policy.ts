import { z } from "zod";
import { FairShares } from "../../flow-control/fair-shares.ts";
import type { Ticket } from "../../flow-control/flow-request.ts";
import type { FairFlow } from "../../flow-control/policies.ts";
import { pluginType } from "../../profiles/plugin.ts";
import { amount } from "../parameter-types.ts";

const weight = z.number().positive();

export const weightedFairnessPolicy = pluginType({
  type: "weighted-fairness-policy",
  kinds: ["fairness"],
  summary:
    "Shares capacity among the flows of a band by weight: dispatches the flow that has used least for its weight. Only this picker has this policy.",
  parameters: z.strictObject({
    unit: z
      .enum(["requests", "tokens"])
      .default("tokens")
      .describe(
        "Unit in which flows share capacity. `tokens` counts the prompt and a quarter of recent response lengths at dispatch, the tokens of a usual response while it runs, and the actual tokens at its end.",
      ),
    weights: z
      .record(z.string().min(1), weight)
      .default({})
      .describe("Weight by flow; replaces the share of its LLMService."),
    defaultWeight: weight.default(1).describe("Weight of all other flows."),
    quantumTokens: amount
      .default(0)
      .describe(
        "Tokens that a flow of weight 1 uses before the next flow's turn. A higher number keeps the requests of a flow together.",
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
