import { isMap, isSecret } from "../../recorder/index.ts";

/** Returns every text within the secrets of a value. */
export function secretTexts(value: unknown, isInside = false): string[] {
  if (isSecret(value)) return secretTexts(value.value, true);
  if (Array.isArray(value)) return value.flatMap((item) => secretTexts(item, isInside));
  if (isMap(value)) return Object.values(value).flatMap((item) => secretTexts(item, isInside));
  return isInside && (typeof value === "string" || typeof value === "number")
    ? [String(value)]
    : [];
}

/** Shorter strings would also be hidden in texts that are not secret. */
const shortest = 3;
const shortestPiece = 5;

/** Returns a secret and its parts that a message may quote. */
const piecesOf = (secret: string) => [
  ...(secret.length < shortest ? [] : [secret]),
  ...secret.split(/[\s"'`{}[\](),:;=&|]+/).filter(({ length }) => length >= shortestPiece),
];

export function hidingSecrets(text: string, secrets: ReadonlySet<string>): string {
  return (
    [...secrets]
      .flatMap(piecesOf)
      // Longest first, so that a secret which contains another one is hidden as a whole.
      .sort((a, b) => b.length - a.length)
      .reduce((rest, piece) => rest.replaceAll(piece, "[secret]"), text)
  );
}
