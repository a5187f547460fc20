import { Document, type Scalar, visit } from "yaml";

/**
 * A value as a YAML document that readers of YAML 1.2 and of YAML 1.1 (PyYAML, and go-yaml below kubectl)
 * take for the same value: texts that one of them reads as something else, such as `on`, `1e3`, `0o17`
 * or `12:30`, are quoted. Lines are not folded, and repeated values are written out.
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

/** Several documents in one stream. */
export const formatYamlStream = (values: readonly unknown[]): string =>
  values.map(formatYaml).join("---\n");

/** Unless a style is named, the writer quotes strings that a reader of YAML 1.1 or 1.2 takes for another type. */
function styleOf(text: string, isKey: boolean): Scalar["type"] {
  if (/^[\w./(-][\x20-\x7e]*$/.test(text)) return undefined;
  if (!isKey && isBlock(text)) return "BLOCK_LITERAL";
  return "QUOTE_DOUBLE";
}

/** Lines of printable text, none of them indented before the first that is not. */
const isBlock = (text: string) => /^[!-~][ -~\n]*\n?$/.test(text) && text.includes("\n");

/**
 * Characters that YAML 1.1 refuses or takes for line breaks, and those without a shape, which turn the direction of the
 * text round. They occur in double quotes only.
 */
const strange = /(?![\n\u200c\u200d])[\p{Cc}\p{Cf}\u2028\u2029\ufffe\uffff]/gu;

const escaped = (character: string) => {
  const code = (character.codePointAt(0) ?? 0).toString(16);
  return code.length > 4 ? `\\U${code.padStart(8, "0")}` : `\\u${code.padStart(4, "0")}`;
};
