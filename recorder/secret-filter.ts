/** Shorter strings would also be hidden in texts that are not secret. */
const SHORTEST = 3;

/** Returns a function that hides secret configuration, in clear text and in Base64. */
export function secretFilter(secrets: readonly string[]): (text: string) => string {
  const hidden = secrets
    .filter((text) => text.length >= SHORTEST)
    .flatMap((text) => [text, Buffer.from(text).toString("base64")])
    // Longest first, so that a secret which contains another one is hidden as a whole.
    .sort((a, b) => b.length - a.length);
  return (text) => hidden.reduce((rest, part) => rest.replaceAll(part, "[secret]"), text);
}
