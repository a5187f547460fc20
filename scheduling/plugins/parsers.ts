/**
 * Parsers with the upstream picker's names (llm-d-router, pkg/epp/framework/plugins/requesthandling/parsers). A
 * configuration that names none uses all of them, in this order.
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
