/** A pattern of sentences that most readers have to read twice. */
export interface StrictRule {
  readonly name: string;
  readonly pattern: RegExp;
  /** Replacement to suggest. */
  readonly instead: string;
}

/** The rules that `npm run check` applies to every sentence. */
export const strictRules: readonly StrictRule[] = [
  {
    name: "clause-start",
    pattern: /^(Who|What|Whatever|Whoever|Whose) (?!.*\?$)/,
    instead: "Name the thing or the actor, then the verb.",
  },
  {
    name: "data-speaks",
    pattern: /\b(says|tells|told|is told|are told|hears)\b/,
    instead: '"contains", "sets", "reports", "returns", "publishes", "is set to", "receives".',
  },
  {
    name: "where-as-if",
    pattern:
      /(?:, |; |^)where (?:it|there|that|none|no|nothing|they|somebody|nobody|others|a|an|the|its|all|some|one)\b/i,
    instead: 'For a condition: "if", "when", "unless", "for".',
  },
  {
    name: "of-what",
    pattern: /\b(of|than|for|by|with|on|to|from|in|about|at) what\b/i,
    instead: 'A noun: "the bytes read", "the received body".',
  },
  { name: "in-place-of", pattern: /\bin place of\b/, instead: '"instead of".' },
  {
    name: "beside",
    pattern: /\bbeside\b/i,
    instead: '"besides", "next to", "in addition to", "alongside".',
  },
  {
    name: "archaic",
    pattern: /\b(for ever|anew|likewise|hardly|as a rule|all the same|one too many)\b/i,
    instead: '"forever", "again", "also", "almost no", "usually", "anyway", "superfluous".',
  },
  {
    name: "so-many",
    pattern: /\b(so many|so long as|so often|as much|so much)\b/i,
    instead: "The number, or the name of the parameter that sets it.",
  },
  {
    name: "stands-in",
    pattern: /\b(stand|stands|stood) (in|at|there|here|once|between|beside|for|still|alone)\b/,
    instead: '"is in", "is set in", "is defined in", "replaces".',
  },
  {
    name: "those-of",
    pattern: /\b(those|that) of\b/,
    instead: "Repeat the noun.",
  },
  {
    name: "of-two",
    pattern: /(?:^|[:;,] )of (two|several|those|these|some|all|pods|the|which)\b/i,
    instead: 'Subject first: "The older of two pools wins".',
  },
  {
    name: "goes-comes",
    pattern:
      /\b(goes|went) (on|away|by|to|elsewhere|wrong|round)\b|\bcomes? (of|to|by|sooner|later|again|back)\b/,
    instead: '"is deleted", "leaves", "arrives", "continues", "starts", "is sent to".',
  },
  {
    name: "nobody",
    pattern: /\b(nobody|somebody|anybody)\b/i,
    instead: "The actor: client, operator, another controller, another request.",
  },
  {
    name: "owner",
    pattern: /\bis the [\w-]+'s\b|\bare the [\w-]+'s\b|\bthe [\w-]+'s own\b/i,
    instead: '"belongs to", "is set by", or repeat the noun.',
  },
  {
    name: "look",
    pattern: /\b(a|two|one|each|last|first|next) looks?\b/,
    instead: '"poll", "snapshot" or "reading".',
  },
  {
    name: "place-as-slot",
    pattern: /\b(has|have|had|a|another|of a|for a|the|free) places?\b(?! (?:in|where|of)\b)/,
    instead: '"slot", "capacity".',
  },
  {
    name: "bare-possessive",
    pattern: /\w's(?=[.;:)](?: |$)|$)/,
    instead: 'The noun: "longer than the name of the server", not "longer than the server\'s".',
  },
  {
    name: "as-has-it",
    pattern: /\bas [^.;:,]{2,50} (?:has|have) (?:it|them)\b/i,
    instead: '"as in", "the same as in", "from".',
  },
  {
    name: "most-that",
    pattern: /^(Most|Least|Fewest) (?!of\b)[\w-]+(?: [\w-]+)? (?:that|per|on which|over which)\b/,
    instead: '"Maximum number of ...", "Minimum time in ms ...".',
  },
  {
    name: "decides-about",
    pattern: /\bdecides? about\b/,
    instead: '"affects", "determines", or what is decided.',
  },
  {
    name: "nothing-of",
    pattern: /\b(?:nothing|anything) is (?:known|written|said|left) of\b/i,
    instead: 'The subject: "its slots are not known", "the status is not written yet".',
  },
];
