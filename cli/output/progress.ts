/** Time before the first progress on a terminal, in ms. */
const firstMs = 2_000;
/** Interval between two updates of the line on a terminal, in ms. */
const terminalMs = 200;
/** Interval between two lines if stderr is a file or a pipe, in ms. */
const plainMs = 10_000;

const clearLine = "\r\u001b[K";

/** The part of a command's terminal that progress uses. */
export interface ProgressTerminal {
  readonly err: {
    write(text: string): void;
    pass?(text: string): void;
    readonly isTerminal?: boolean;
  };
  readonly now?: () => number;
}

/** Progress of a slow command, on stderr. */
export interface Progress<T extends ProgressTerminal = ProgressTerminal> extends Disposable {
  /** The command's terminal; its stderr clears the progress line before it writes. */
  readonly terminal: T;
  /** Reports `what: done of total`; without `total` if it is unknown. Cheap enough for every step of a loop. */
  at(what: string, done: number, total?: number): void;
  /** Removes the line from a terminal, and stops reporting. */
  end(): void;
}

export interface ProgressOptions {
  /** Whether a program reads the output. Progress is then shown only on a terminal. */
  readonly isForMachines: boolean;
}

/** Starts reporting. A terminal shows one line after 2 s; other outputs get a plain line every 10 s. */
export function startProgress<T extends ProgressTerminal>(
  terminal: T,
  { isForMachines }: ProgressOptions,
): Progress<T> {
  const { err, now = () => performance.now() } = terminal;
  const isTerminal = err.isTerminal === true;
  const isOff = isForMachines && !isTerminal;
  const interval = isTerminal ? terminalMs : plainMs;
  let due = now() + (isTerminal ? firstMs : plainMs);
  let isShown = false;
  let text = "";

  const pass = (piece: string) => (err.pass ?? err.write)(piece);
  const clear = () => {
    if (isShown) pass(clearLine);
    isShown = false;
  };
  const show = () => {
    const time = now();
    if (isOff || text === "" || time < due) return;
    due = time + interval;
    if (isTerminal) pass(`${clearLine}${text}`);
    else err.write(`${text}\n`);
    isShown = isTerminal;
  };
  // Updates the line also during steps that wait for another process.
  const timer = setInterval(show, terminalMs).unref();
  const end = () => {
    clearInterval(timer);
    clear();
  };
  return {
    terminal: {
      ...terminal,
      err: {
        ...err,
        write: (piece) => {
          clear();
          err.write(piece);
        },
        pass: (piece) => {
          clear();
          pass(piece);
        },
      },
    },
    at: (what, done, total) => {
      text = `${what}: ${done}${total === undefined ? "" : ` of ${total}`}`;
      show();
    },
    end,
    [Symbol.dispose]: end,
  };
}
