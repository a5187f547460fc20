import { backend } from "./good-stack.fixture.ts";

/** Names of objects in the good stack and paths in them, for the cases of rules. */

export const prefill = "LeaderWorkerSet/svc-prefill";
export const decode = "LeaderWorkerSet/svc-decode";
export const embedder = "Deployment/embedder";
export const gang = "PodGroup/svc";
export const pool = "InferencePool/svc";
export const route = "HTTPRoute/svc";

export const template = "spec leaderWorkerTemplate";
export const leader = `${template} leaderTemplate`;
export const worker = `${template} workerTemplate`;
export const leaderEngine = `${leader} spec containers 0`;
export const leaderSidecar = `${leader} spec initContainers 0`;
export const workerEngine = `${worker} spec containers 0`;
export const server = "spec template spec containers 0";
export const gpu = "resources limits nvidia.com/gpu";
export const groupName = "metadata annotations scheduling.k8s.io/group-name";

export const backends = "spec rules 0 backendRefs";
export const localPool = backend("InferencePool", "inference.networking.k8s.io");
export const gkeImport = backend("GCPInferencePoolImport", "networking.gke.io");

/** Arguments of a leader that starts vLLM over Ray. */
export const serve = (flags: string) => [`ray start --head --port=6379 && vllm serve m ${flags}`];
