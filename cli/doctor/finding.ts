import type { Seen } from "./observation.ts";

/**
 * error: services do not start, or not as planned. warning: some of them do not. unknown: it could not be seen.
 */
export type Level = "ok" | "warning" | "error" | "unknown";

/** One thing that was checked. */
export interface Finding {
  /** What was checked; stable, in kebab case. */
  readonly check: string;
  readonly level: Level;
  readonly title: string;
  /** What was seen in the cluster, and why it matters. */
  readonly seen?: string;
  /** A command or a setting that fixes it. */
  readonly fix?: string;
}

/** What to say of something that the caller may not read. */
export function forbidden(
  check: string,
  what: string,
  { why }: Extract<Seen<unknown>, { state: "forbidden" }>,
): Finding {
  return {
    check,
    level: "unknown",
    title: `${what} cannot be read`,
    seen: why,
    fix: "Run doctor as a user with read access to it.",
  };
}
