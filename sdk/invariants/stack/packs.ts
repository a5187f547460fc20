/** The policy packs, and what each is about. */
export const packs = {
  inference: {
    displayName: "Inference",
    description:
      "All rules: faults that keep inference services from starting, serving or staying up.",
  },
  "inference-gpu": {
    displayName: "Inference: GPU pods",
    description: "Requirements for pods with accelerators, and groups of them, to start and serve.",
  },
  "inference-gang": {
    displayName: "Inference: gangs",
    description: "Requirements for gangs to be scheduled, across all objects of a stack.",
  },
  "inference-routing": {
    displayName: "Inference: routing",
    description: "Requirements for requests to reach a pod: pools, pickers and routes.",
  },
  "inference-multi-cluster": {
    displayName: "Inference: several clusters",
    description:
      "Requirements for requests to reach a pool of another cluster: exports and imports.",
  },
  "inference-supply-chain": {
    displayName: "Inference: supply chain",
    description: "Fixed images, and containers with no more privileges than needed.",
  },
} as const;

export type PackName = Exclude<keyof typeof packs, "inference">;

/** Packs by themselves; `inference` holds the rules of all. */
export const packNames = Object.keys(packs).filter((name) => name !== "inference") as PackName[];
