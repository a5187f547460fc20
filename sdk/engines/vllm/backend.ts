/** The flag that sets how the pods of one vLLM engine work together. */
export const backendFlag = "--distributed-executor-backend";
