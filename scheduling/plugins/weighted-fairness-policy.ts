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
    "Flows of a band share by weight: the one goes that has used least for its weight. Only this picker has it.",
  parameters: z.strictObject({
    unit: z
      .enum(["requests", "tokens"])
      .default("tokens")
      .describe(
        "What is shared. Tokens: those of the prompt and a quarter of those that answers had lately at dispatch, on the way those that answers have in such a time, and what is known when the response has ended.",
      ),
    weights: z
      .record(z.string().min(1), weight)
      .default({})
      .describe("By flow, in place of the share that its LLMService says."),
    defaultWeight: weight.default(1).describe("The weight of the others."),
    quantumTokens: z
      .number()
      .min(0)
      .default(0)
      .describe(
        "What a flow of weight 1 uses before the next one has its turn. More keeps requests of a flow together.",
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
