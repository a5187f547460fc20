/** The policy packs, with a description of each. */
export const packs = {
  inference: {
    displayName: "Inference",
    description: "All checks of whether inference services can start, serve and stay up.",
  },
  "inference-gpu": {
    displayName: "Inference: GPU pods",
    description:
      "Requirements of pods with accelerators, and of groups of such pods, to start and to serve.",
  },
  "inference-gang": {
    displayName: "Inference: gangs",
    description: "Requirements of gangs to be scheduled, over all objects of a stack.",
  },
  "inference-routing": {
    displayName: "Inference: routing",
    description:
      "Requirements of pools, pickers and routes for a request to reach a pod that answers it.",
  },
  "inference-multi-cluster": {
    displayName: "Inference: several clusters",
    description:
      "Requirements of exports and imports for a request to reach a pool of another cluster.",
  },
  "inference-supply-chain": {
    displayName: "Inference: supply chain",
    description: "Fixed images and minimal permissions for inference pods.",
  },
} as const;

export type PackName = Exclude<keyof typeof packs, "inference">;

/** All packs except `inference`, which contains the rules of the others. */
export const packNames = Object.keys(packs).filter((name) => name !== "inference") as PackName[];
