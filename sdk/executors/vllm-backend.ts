/** vLLM's choice of how the pods of one engine work together. */
export const backendFlag = "--distributed-executor-backend";
