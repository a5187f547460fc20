import type { Seen } from "./observation.ts";

/**
 * error: services do not start, or not as planned. warning: some of them do not. unknown: the check could not read the
 * objects.
 */
export type Level = "ok" | "warning" | "error" | "unknown";

/** One check and its result. */
export interface CheckResult {
  /** Id of the check: stable, in kebab case. */
  readonly check: string;
  readonly level: Level;
  readonly title: string;
  /** The observed state of the cluster, and its consequence. */
  readonly seen?: string;
  /** A command or a setting that fixes it. */
  readonly fix?: string;
}

type ResultText = Pick<CheckResult, "title" | "seen" | "fix">;

const ofLevel =
  (level: Level) =>
  (check: string, text: ResultText): CheckResult => ({ check, level, ...text });

export const error = ofLevel("error");
export const warning = ofLevel("warning");
export const unknown = ofLevel("unknown");
export const ok = (check: string, title: string): CheckResult => ({ check, level: "ok", title });

/** Returns the finding for an object that the caller may not read. */
export function forbidden(
  check: string,
  what: string,
  { why }: Extract<Seen<unknown>, { state: "forbidden" }>,
): CheckResult {
  return unknown(check, {
    title: `${what} cannot be read`,
    seen: why,
    fix: "Run doctor as a user with read access to it.",
  });
}
