import { isMap, isSecret } from "../../engine/index.ts";

/** Every text inside of a value's secrets. */
export function secretTexts(value: unknown, isInside = false): string[] {
  if (isSecret(value)) return secretTexts(value.value, true);
  if (Array.isArray(value)) return value.flatMap((item) => secretTexts(item, isInside));
  if (isMap(value)) return Object.values(value).flatMap((item) => secretTexts(item, isInside));
  return isInside && (typeof value === "string" || typeof value === "number")
    ? [String(value)]
    : [];
}

/** Shorter strings would be hidden in places where they are not secret. */
const shortest = 3;
const shortestPiece = 5;

/** A secret, and what a message may quote of it. */
const piecesOf = (secret: string) => [
  ...(secret.length < shortest ? [] : [secret]),
  ...secret.split(/[\s"'`{}[\](),:;=&|]+/).filter(({ length }) => length >= shortestPiece),
];

export function hidingSecrets(text: string, secrets: ReadonlySet<string>): string {
  return (
    [...secrets]
      .flatMap(piecesOf)
      // A secret that holds another one is hidden as a whole.
      .sort((a, b) => b.length - a.length)
      .reduce((rest, piece) => rest.replaceAll(piece, "[secret]"), text)
  );
}
