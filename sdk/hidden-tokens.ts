/**
 * Beginnings of tokens of Hugging Face, OpenAI, GitHub, GitLab, NVIDIA NGC, Slack and AWS, and of JSON Web Tokens, each
 * before the characters that are secret.
 */
const tokenStarts = [
  "hf_",
  "sk-",
  "gh[opsur]_",
  "github_pat_",
  "glpat-",
  "nvapi-",
  "xox[abprs]-",
  "AKIA",
  "eyJ",
];

/** At least 16 characters after a beginning, with a digit or an upper-case letter: a word of a name has neither. */
const token = new RegExp(
  `(?<![A-Za-z0-9])(${tokenStarts.join("|")})(?=[\\w.-]*[A-Z0-9])[\\w.-]{16,}`,
  "g",
);

/** Returns the beginning of the first token in a string, such as `hf_...`; undefined if the string contains none. */
export const tokenIn = (text: string): string | undefined => {
  const [found] = text.match(token) ?? [];
  return found && hideTokens(found);
};

/** Returns a string with `hf_...` instead of each token, so that messages and logs contain none. */
export const hideTokens = (text: string): string => text.replaceAll(token, "$1...");
