/**
 * Parsers by the upstream picker's names (llm-d-router, pkg/epp/framework/plugins/requesthandling/parsers), those of a
 * configuration that names none, in order.
 */
export const parserNames = [
  "openai-parser",
  "anthropic-parser",
  "vllmhttp-parser",
  "passthrough-parser",
] as const;

export type ParserName = (typeof parserNames)[number];

export const isParserName = (type: string): type is ParserName =>
  parserNames.some((name) => name === type);
