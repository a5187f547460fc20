/**
 * Structured log with one JSON object per line: `level`, `ts` (RFC 3339), `msg` and fields.
 *
 * It must never contain a prompt. Callers log facts (names, counts, codes), but no bodies and no header values. An
 * error of `JSON.parse` is logged only by its kind, because its message quotes the text.
 */
export interface Log {
  /** A failure that needs an operator's attention. `error` becomes the field of that name. */
  error(msg: string, error?: unknown, fields?: Fields): void;
  warn(msg: string, fields?: Fields): void;
  info(msg: string, fields?: Fields): void;
  /** Shown from verbosity 4 on. */
  debug(msg: string, fields?: Fields): void;
}

export type Fields = Readonly<Record<string, unknown>>;

export interface LogOptions {
  /** Value of `-v`: 0 to 3 shows everything but debug lines, 4 and more also debug lines, negative only errors. */
  readonly verbosity: number;
  readonly write: (line: string) => void;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

/** Lines per message that are written in one window; the rest are counted, and the count is logged. */
const burst = 10;
const windowMs = 10_000;

interface Repetition {
  windowEnds: number;
  lines: number;
  suppressed: number;
}

/**
 * Returns a log for constant messages. A message that repeats more than 10 times in 10 seconds is suppressed, and the
 * first line of the next window contains the count (`suppressed`).
 */
export function newLog({ verbosity, write, now }: LogOptions): Log {
  const repetitions = new Map<string, Repetition>();

  function line(level: string, msg: string, fields: Fields): void {
    const time = now();
    const repetition = repetitionOf(repetitions, `${level} ${msg}`, time);
    if (repetition.lines >= burst) {
      repetition.suppressed += 1;
      return;
    }
    repetition.lines += 1;
    const { suppressed } = repetition;
    repetition.suppressed = 0;
    const logged = suppressed === 0 ? fields : { ...fields, suppressed };
    write(`${JSON.stringify({ level, ts: new Date(time).toISOString(), msg, ...logged })}\n`);
  }

  return {
    error: (msg, error, fields = {}) =>
      line("error", msg, error === undefined ? fields : { ...fields, error: describe(error) }),
    warn: (msg, fields = {}) => verbosity >= 0 && line("warn", msg, fields),
    info: (msg, fields = {}) => verbosity >= 0 && line("info", msg, fields),
    debug: (msg, fields = {}) => verbosity >= 4 && line("debug", msg, fields),
  };
}

export const stderrLog = (verbosity: number): Log =>
  newLog({ verbosity, write: (line) => process.stderr.write(line), now: Date.now });

/** Messages are constant, hence few. The map is cleared if a caller breaks this rule. */
function repetitionOf(repetitions: Map<string, Repetition>, key: string, now: number): Repetition {
  let repetition = repetitions.get(key);
  if (repetition === undefined) {
    if (repetitions.size >= 1_000) repetitions.clear();
    repetition = { windowEnds: now + windowMs, lines: 0, suppressed: 0 };
    repetitions.set(key, repetition);
  } else if (now >= repetition.windowEnds) {
    repetition.windowEnds = now + windowMs;
    repetition.lines = 0;
  }
  return repetition;
}

/** Returns the messages of an error and its causes. */
export function describe(error: unknown): string {
  if (error instanceof SyntaxError) return "SyntaxError";
  if (!(error instanceof Error)) return String(error);
  // Node's error for several failed addresses has a code and no message.
  const own = error.message || (error as NodeJS.ErrnoException).code || error.name;
  return error.cause === undefined ? own : `${own}: ${describe(error.cause)}`;
}
