/**
 * Components in the form that Pulumi's analyzer reads for the schema of other languages. `npm run generate` writes the schema.
 * The analyzer takes the first class of a name, so the classes with a form of their own are first.
 */

export * from "../index.ts";
export { InferenceService } from "./inference-service.ts";
export { LLMServerPool } from "./llm-server-pool.ts";
export { ModelServing } from "./model-serving.ts";
export { MultiClusterInferenceService } from "./multi-cluster-inference-service.ts";
