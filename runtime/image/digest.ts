/**
 * Returns a digest that a program reported.
 *
 * @param of name of the digest in the message
 * @param messages the other output of the program, which the error contains
 * @throws Error for other text
 */
export function readDigest(reported: string, of: string, messages = ""): string {
  const digest = reported.trim();
  if (/^sha256:[0-9a-f]{64}$/.test(digest)) return digest;
  const problem =
    digest === ""
      ? `buildah ended with exit code 0, but reported no ${of}`
      : `buildah reported ${JSON.stringify(digest)} as ${of}; allowed: sha256: and 64 hexadecimal digits`;
  throw new Error([problem, messages.trim()].filter(Boolean).join("\n"));
}
