/** A problem in a configuration, with its path. */
export interface ConfigProblem {
  /** For example `schedulingProfiles[0].plugins[1].pluginRef`; empty for the whole document. */
  readonly path: string;
  readonly message: string;
}

/** Formats a problem as one line, for previews, policies and the picker's log. */
export const formatConfigProblem = ({ path, message }: ConfigProblem): string =>
  `${path === "" ? "" : `${path}: `}${message}`;

/** A configuration that cannot be used, with all its problems. */
export class ConfigError extends Error {
  override readonly name = "ConfigError";
  readonly problems: readonly ConfigProblem[];

  /** @param file name for the message */
  constructor(file: string, problems: readonly ConfigProblem[]) {
    const lines = problems.map((problem) => `  ${formatConfigProblem(problem)}`);
    super(`${file} cannot be used:\n${lines.join("\n")}`);
    this.problems = problems;
  }
}

export function pathText(path: readonly PropertyKey[]): string {
  return path
    .map((step, at) =>
      typeof step === "number" ? `[${step}]` : `${at === 0 ? "" : "."}${String(step)}`,
    )
    .join("");
}
