/** The policy packs, and what each is about. */
export const packs = {
  inference: {
    displayName: "Inference",
    description: "Everything that keeps inference services from starting, serving or staying up.",
  },
  "inference-gpu": {
    displayName: "Inference: GPU pods",
    description: "What pods with accelerators, and groups of them, need to start and to serve.",
  },
  "inference-gang": {
    displayName: "Inference: gangs",
    description: "What pods that start together need to be scheduled, over all objects of a stack.",
  },
  "inference-routing": {
    displayName: "Inference: routing",
    description: "What a request needs to reach a pod that answers it: pools, pickers and routes.",
  },
  "inference-multi-cluster": {
    displayName: "Inference: several clusters",
    description: "What a request needs to reach a pool of another cluster: exports and imports.",
  },
  "inference-supply-chain": {
    displayName: "Inference: supply chain",
    description:
      "What runs beside everyone's models: fixed images, and no more rights than needed.",
  },
} as const;

export type PackName = Exclude<keyof typeof packs, "inference">;

/** Packs by themselves; `inference` holds the rules of all. */
export const packNames = Object.keys(packs).filter((name) => name !== "inference") as PackName[];
