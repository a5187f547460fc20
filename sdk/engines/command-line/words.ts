/** A word of a command line. */
export interface Word {
  /** The text as the template contains it, with quotes and variables. */
  readonly written: string;
  /** The text that the program receives. Parts with an unknown value are kept as written. */
  readonly text: string;
  /** Whether `text` is exactly what the program receives. */
  readonly isKnown: boolean;
  /** Whether the word may become any number of words, flags included, when the container starts. */
  readonly mayBeSeveral: boolean;
}

export const known = (text: string, written = text): Word => ({
  written,
  text,
  isKnown: true,
  mayBeSeveral: false,
});

export const unknown = (written: string, mayBeSeveral = false): Word => ({
  written,
  text: written,
  isKnown: false,
  mayBeSeveral,
});

/** The text of a known word; undefined for a word with an unknown part. */
export const textOf = (word: Word | undefined): string | undefined =>
  word?.isKnown ? word.text : undefined;
