import type {
  DoubleQuotedChild,
  ParameterExpansionPart,
  Word as SyntaxWord,
  WordPart,
} from "unbash";
import type { Scope } from "./shell-script.ts";
import { known, textOf, type Word } from "./words.ts";

/** Expands the words of a shell script as far as the template contains the values in them. */

/** A piece of a word. The shell splits an unquoted expansion at blanks. */
interface Piece {
  readonly text: string;
  readonly isKnown: boolean;
  readonly isDivided: boolean;
}

const literal = (text: string): Piece => ({ text, isKnown: true, isDivided: false });
const opaque = (text: string): Piece => ({ text, isKnown: false, isDivided: false });

/** Returns the words that one word of a script expands to: several or none for an unquoted variable or `$@`. */
export function expandedWords(word: SyntaxWord, scope: Scope): Word[] {
  const { text: written, parts } = word;
  if (/^"?\$(@|\{@\})"?$/.test(written)) return [...scope.positional];
  const pieces = piecesOf(word, scope);
  const [only] = pieces;
  if (pieces.length === 1 && only !== undefined && !only.isKnown)
    return [
      {
        written,
        text: only.text,
        isKnown: false,
        mayBeSeveral: parts?.[0]?.type !== "DoubleQuoted",
      },
    ];
  return divided(pieces).map(({ text, isKnown }) => ({
    written,
    text,
    isKnown,
    mayBeSeveral: false,
  }));
}

/** Returns the value of a word that the shell does not split, as on the right side of an assignment. */
export function textOfWord(word: SyntaxWord, scope: Scope): Word {
  const pieces = piecesOf(word, scope);
  return {
    ...known(pieces.map(({ text }) => text).join(""), word.text),
    isKnown: pieces.every(({ isKnown }) => isKnown),
  };
}

function divided(pieces: readonly Piece[]): Array<{ text: string; isKnown: boolean }> {
  const words: Array<{ text: string; isKnown: boolean }> = [];
  let current: { text: string; isKnown: boolean } | undefined;
  for (const { text, isKnown, isDivided } of pieces) {
    const fields = isDivided ? text.split(/[ \t\n]+/) : [text];
    for (const [at, field] of fields.entries()) {
      if (at > 0 && current !== undefined) {
        words.push(current);
        current = undefined;
      }
      if (isDivided && field === "") continue;
      current = {
        text: (current?.text ?? "") + field,
        isKnown: (current?.isKnown ?? true) && isKnown,
      };
    }
  }
  return current === undefined ? words : [...words, current];
}

const piecesOf = ({ parts, value }: SyntaxWord, scope: Scope): Piece[] =>
  parts === undefined ? [literal(value)] : parts.flatMap((part) => pieceOf(part, scope));

function pieceOf(part: WordPart, scope: Scope): Piece[] {
  switch (part.type) {
    case "Literal":
    case "SingleQuoted":
    case "AnsiCQuoted":
    case "Glob":
      return [literal(part.value)];
    case "DoubleQuoted":
    case "LocaleString": {
      const pieces = part.parts.flatMap((child: DoubleQuotedChild) => pieceOf(child, scope));
      return [
        {
          text: pieces.map(({ text }) => text).join(""),
          isKnown: pieces.every(({ isKnown }) => isKnown),
          isDivided: false,
        },
      ];
    }
    case "SimpleExpansion":
      return [variable(part.text.slice(1), part.text, scope)];
    case "ParameterExpansion":
      return [parameter(part, scope)];
    case "BraceExpansion":
    case "ExtendedGlob":
      // dash, the shell of most images, supports neither.
      return [literal(part.text.replaceAll(/["']/g, ""))];
    default:
      return [opaque(part.text)];
  }
}

function variable(name: string, written: string, { values, positional }: Scope): Piece {
  const value = /^\d+$/.test(name) ? textOf(positional[Number(name) - 1]) : values.get(name);
  return value === undefined ? opaque(written) : { text: value, isKnown: true, isDivided: true };
}

/** `${NAME}` and `${NAME:-default}`; other operations have an unknown result. */
function parameter(part: ParameterExpansionPart, scope: Scope): Piece {
  const { parameter: name, prefix, index, operation, text } = part;
  if (prefix !== undefined || index !== undefined) return opaque(text);
  if (operation === undefined) return variable(name, text, scope);
  if (operation.type !== "Default") return opaque(text);
  const { operator, operand } = operation;
  const isSet = scope.values.has(name) || scope.mayHaveMore;
  const value = scope.values.get(name);
  if (isSet && value === undefined) return opaque(text);
  const counts = value !== undefined && (value !== "" || !operator.startsWith(":"));
  if (operator.endsWith("?")) return counts ? variable(name, text, scope) : opaque(text);
  if (operator.endsWith("+") ? !counts : counts)
    return { text: operator.endsWith("+") ? "" : (value ?? ""), isKnown: true, isDivided: true };
  const { text: given, isKnown } = textOfWord(operand, scope);
  return isKnown ? { text: given, isKnown, isDivided: true } : opaque(text);
}
