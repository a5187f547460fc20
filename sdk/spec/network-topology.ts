import { z } from "zod";
import { NetworkTopology as TopologySpec } from "../../kubernetes/kinds/pod-group.ts";
import { named, words } from "./argument.ts";

const NetworkTopologyMode = words("NetworkTopologyMode", "How strict a network topology is.", {
  Hard: ["hard", "The pods wait for nodes within the tier."],
  Soft: ["soft", "The scheduler prefers nodes within the tier."],
});

export const NetworkTopology = named(
  "NetworkTopology",
  z.strictObject({
    ...TopologySpec.shape,
    mode: NetworkTopologyMode.default("hard").describe("How strict the tier is."),
  }),
).describe("How near to one another pods run, in tiers of Volcano's HyperNodes.");
