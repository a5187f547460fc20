import { constants } from "../load-constants.ts";

const { backoffJitter, inARow, listItems, retryMs, startMs, suspectPart } = constants;

/**
 * Outcome of a request for its server. `busy`: refused for now (429). `unknown-model`: the server does not serve the
 * model (404). `failed`: any other failure that does not come from the client.
 */
export type AnswerOutcome = "succeeded" | "failed" | "busy" | "unknown-model";

/** Source of a request, as keys of its model and its clients: their address and tenant, as far as known. */
export interface Source {
  readonly model: string;
  readonly clients: readonly string[];
}

/** Failures of one source that count in full. */
export interface Evidence {
  readonly source: Source;
  readonly failures: number;
}

/** Failures in a row of a server, or of one model or client on it, since the last success. */
export interface Failures {
  /** Failures of suspect sources count in part. */
  inARow: number;
  /** The failures that count in full, until the server is ejected. */
  evidence: readonly Evidence[];
  /** Number of back-offs, 0 until there were enough failures. */
  backoffs: number;
  /** Time of the next probe, in ms. */
  until: number;
}

export const newFailures = (): Failures => ({
  ...{ inARow: 0, evidence: [], backoffs: 0, until: 0 },
});

/**
 * Returns the failures of a model or client, and adds an entry if there is none. If there are too many entries, the
 * oldest is forgotten; entries without a known name are forgotten first.
 */
export function added(
  all: Map<string, Failures>,
  name: string,
  known?: ReadonlySet<string>,
): Failures {
  const failures = all.get(name) ?? newFailures();
  all.set(name, failures);
  if (all.size <= listItems) return failures;
  const [oldest = name] = all.keys();
  const unknown = known && [...all.keys()].find((each) => !known.has(each));
  all.delete(unknown ?? oldest);
  return failures;
}

interface Failure {
  /** Part of a failure as which it counts. */
  readonly part: number;
  readonly source: Source;
  readonly now: number;
  readonly random: () => number;
}

/** Records a failure. Once the server is ejected, failures change nothing: the next probe is already scheduled. */
export function failed(failures: Failures, { part, source, now, random }: Failure): void {
  if (failures.backoffs > 0) return;
  failures.inARow += part;
  if (part === 1) failures.evidence = [...failures.evidence, { source, failures: 1 }];
  if (failures.inARow >= inARow) holdBack(failures, now, random);
}

/** Counts failures in part from now on, and ends the back-off if too few remain. */
export function withdraw(failures: Failures, isSuspect: (evidence: Evidence) => boolean): void {
  for (const evidence of failures.evidence)
    if (isSuspect(evidence)) failures.inARow -= (1 - suspectPart) * evidence.failures;
  failures.evidence = failures.evidence.filter((evidence) => !isSuspect(evidence));
  if (failures.inARow >= inARow) return;
  failures.backoffs = 0;
  failures.until = 0;
}

/** Schedules the next probe. */
export function holdBack(failures: Failures, now: number, random: () => number): void {
  const delay = failures.backoffs === 0 ? startMs : retryMs;
  failures.until = now + delay * (1 + backoffJitter * (2 * random() - 1));
  failures.backoffs += 1;
}
