import { z } from "zod";
import { NetworkTopology as TopologySpec } from "../../kubernetes/kinds/pod-group.ts";
import { named, words } from "../schemas/argument.ts";

const NetworkTopologyMode = words(
  "NetworkTopologyMode",
  "How strictly a network topology is enforced.",
  {
    Hard: ["hard", "The pods wait for nodes within the tier."],
    Soft: ["soft", "The scheduler prefers nodes within the tier."],
  },
);

export const NetworkTopology = named(
  "NetworkTopology",
  z.strictObject({
    ...TopologySpec.shape,
    mode: NetworkTopologyMode.default("hard").describe("How strictly the tier is enforced."),
  }),
).describe("Limit on the network distance between pods, in tiers of Volcano's HyperNodes.");
