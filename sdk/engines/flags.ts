/** Returns the value of a flag in `--flag value` or `--flag=value` form; vLLM takes underscores for dashes. */
export function flagValue(words: readonly string[], flag: string): string | undefined {
  for (const [at, word] of words.entries()) {
    const [name = "", value] = word.split("=", 2);
    if (name.replaceAll("_", "-") === flag) return value ?? words[at + 1] ?? "";
  }
  return undefined;
}

/** Returns whether a flag is written, with or without a value. */
export const hasFlag = (words: readonly string[], flag: string): boolean =>
  flagValue(words, flag) !== undefined;
