import { huggingFace, worker } from "pulumi-inference";

/** The model that runs in both clusters, and its accelerator. */
export const model = { model: huggingFace("Qwen/Qwen3-8B"), accelerator: "h100-sxm" } as const;

/** The engines of both clusters. */
export const engines = worker({ name: "inference", replicas: 2 });
