/**
 * Structured log: one JSON object a line, `level`, `ts` (RFC 3339), `msg` and fields.
 *
 * A prompt never goes into a log. Callers log facts (names, counts, codes), no bodies and no header values; an error
 * of `JSON.parse` is logged by its kind only, since its message quotes the text that it could not read.
 */
export interface Log {
  /** Something failed that an operator should look at. `error` becomes the field of that name. */
  error(msg: string, error?: unknown, fields?: Fields): void;
  warn(msg: string, fields?: Fields): void;
  info(msg: string, fields?: Fields): void;
  /** Shown from verbosity 4 on. */
  debug(msg: string, fields?: Fields): void;
}

export type Fields = Readonly<Record<string, unknown>>;

export interface LogOptions {
  /** As `-v`: 0 to 3 everything but debug lines, from 4 on those too; below 0 errors only. */
  readonly verbosity: number;
  readonly write: (line: string) => void;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

/** Lines of one message that come through in one window; the rest are counted, and the count is told. */
const burst = 10;
const windowMs = 10_000;

interface Repetition {
  windowEnds: number;
  lines: number;
  suppressed: number;
}

/**
 * A log whose messages are constant texts: a message that repeats more than 10 times in 10 seconds is held back, and
 * the first line of the next window says how many were (`suppressed`).
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

/** Messages are constant texts, hence few: the map is emptied should a caller break that. */
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

/** The messages of an error and of what caused it. */
export function describe(error: unknown): string {
  if (error instanceof SyntaxError) return "SyntaxError";
  if (!(error instanceof Error)) return String(error);
  // Node's error for several failed addresses has a code and no message.
  const own = error.message || (error as NodeJS.ErrnoException).code || error.name;
  return error.cause === undefined ? own : `${own}: ${describe(error.cause)}`;
}
