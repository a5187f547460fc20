/** A way of writing that readers stumble over. */
export interface Habit {
  /** Matches the text. */
  readonly pattern: RegExp;
  /** Replacement to suggest. */
  readonly instead: string;
  /** Where the pattern is applied: at the start of comments, or anywhere in comments, strings and pages. */
  readonly at: "start" | "anywhere";
}

/** The habits that `npm run check` refuses. */
export const habits: readonly Habit[] = [
  {
    pattern: /^Of /,
    instead: 'Name the thing, with a verb: "The port of the Service", "Prefers the first port".',
    at: "start",
  },
  { pattern: /^Told /, instead: '"Called when ..." or "Receives ...".', at: "start" },
  { pattern: /^Answers /, instead: '"Returns ..." or "Responds with ...".', at: "start" },
  {
    pattern: /^Where /,
    instead: '"The place where ...", "If ..." or "When ...".',
    at: "start",
  },
  { pattern: /^Whoever /, instead: '"A client that ...", "A user who ...".', at: "start" },
  { pattern: /^To whom |^From whom /, instead: "Name who it is.", at: "start" },
  {
    pattern: /\bwhat (is|are) (no|none)\b/i,
    instead: '"Values that are not ..." or "Anything else".',
    at: "anywhere",
  },
  {
    pattern: /(?<!\bthere )\b(is|are|was|were) no (?!longer\b|more\b|\w+er\b)[a-z]/i,
    instead: '"is not a ..." or "has no ...".',
    at: "anywhere",
  },
  { pattern: /\ba text\b(?! file| field| editor)/i, instead: '"a string".', at: "anywhere" },
  {
    pattern:
      /\b(once|twice|times|(one|two|\d+)( (?!of|where|without|if|with|for|in|to)\w+)?) a (replica|request|pod|role|group|file|node|pool|service|plugin|name|line|stream|kind|cluster)\b/,
    instead: '"per": "one per replica".',
    at: "anywhere",
  },
  {
    pattern:
      /^\s*(it(\.\w+)*(\(\w*\))?|test|\]\))\(["'`]((that|whose|and|but|or|are|have|were|let|say|tell|take|keep|stand) |(of|as|with|where|by|for|in|on) %\w["'`])/,
    instead:
      'a title that has its own subject: "Objects that break a rule are refused", not "that break a rule".',
    at: "anywhere",
  },
];
