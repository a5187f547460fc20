/** Something wrong in a configuration, and where. */
export interface ConfigProblem {
  /** For example `schedulingProfiles[0].plugins[1].pluginRef`. */
  readonly path: string;
  readonly message: string;
}

/** A configuration that cannot be used: all problems at once. */
export class ConfigError extends Error {
  readonly problems: readonly ConfigProblem[];

  constructor(file: string, problems: readonly ConfigProblem[]) {
    const lines = problems.map(
      ({ path, message }) => `  ${path === "" ? "" : `${path}: `}${message}`,
    );
    super(`${file} cannot be used:\n${lines.join("\n")}`);
    this.name = "ConfigError";
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
