/** vLLM's choice of how the pods of one engine work together. */
export const backendFlag = "--distributed-executor-backend";

/** The value of a flag in `--flag value` or `--flag=value` form; vLLM takes underscores for dashes. */
export function flagValue(words: readonly string[], flag: string): string | undefined {
  for (const [at, word] of words.entries()) {
    const [name = "", value] = word.split("=", 2);
    if (name.replaceAll("_", "-") === flag) return value ?? words[at + 1] ?? "";
  }
  return undefined;
}

/** Whether a flag is written, with or without a value. */
export const hasFlag = (words: readonly string[], flag: string): boolean =>
  flagValue(words, flag) !== undefined;

/** Flags by which executor mp forms a group; a template that sets one of them contradicts the plan. */
export const mpGroupFlags = [
  "--nnodes",
  "--node-rank",
  "--master-addr",
  "--master-port",
  "--headless",
];

/** Flags by which SGLang forms a group (sglang.launch_server, multi-node deployment). */
export const sglangGroupFlags = ["--dist-init-addr", "--nccl-init-addr", "--nnodes", "--node-rank"];
