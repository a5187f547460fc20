import { Document, type Scalar, visit } from "yaml";

/**
 * Returns a value as a YAML document with the same meaning in YAML 1.2 and YAML 1.1 (PyYAML, and go-yaml in kubectl).
 * Strings that one of them reads as another type, such as `on`, `1e3`, `0o17` or `12:30`, are quoted. Lines are not
 * folded, and repeated values are written in full.
 */
export function formatYaml(value: unknown): string {
  const document = new Document(value, { compat: "yaml-1.1", aliasDuplicateObjects: false });
  visit(document, {
    Scalar: (key, scalar) => {
      if (typeof scalar.value === "string") scalar.type = styleOf(scalar.value, key === "key");
    },
  });
  const written = document.toString({ lineWidth: 0 });
  return written.replaceAll(strange, escaped);
}

/** Returns several documents as one stream. */
export const formatYamlStream = (values: readonly unknown[]): string =>
  values.map(formatYaml).join("---\n");

/** Without a style, the writer quotes strings that a reader of YAML 1.1 or 1.2 would parse as another type. */
function styleOf(text: string, isKey: boolean): Scalar["type"] {
  if (/^[\w./(-][\x20-\x7e]*$/.test(text)) return undefined;
  if (!isKey && isBlock(text)) return "BLOCK_LITERAL";
  return "QUOTE_DOUBLE";
}

/** Whether a string may be a block: it has several lines of printable characters, and does not start with a blank. */
const isBlock = (text: string) => /^[!-~][ -~\n]*\n?$/.test(text) && text.includes("\n");

/**
 * Characters that YAML 1.1 refuses or treats as line breaks, and invisible ones, including bidirectional controls.
 * They are only written in double quotes.
 */
const strange = /(?![\n\u200c\u200d])[\p{Cc}\p{Cf}\u2028\u2029\ufffe\uffff]/gu;

const escaped = (character: string) => {
  const code = (character.codePointAt(0) ?? 0).toString(16);
  return code.length > 4 ? `\\U${code.padStart(8, "0")}` : `\\u${code.padStart(4, "0")}`;
};
