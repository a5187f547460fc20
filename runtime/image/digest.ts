import { type Digest, parseDigest } from "../../kubernetes/registry/content.ts";

/**
 * Returns a digest that a program reported.
 *
 * @param of name of the digest in the message
 * @param messages the other output of the program, which the error contains
 * @throws Error for other text
 */
export function readDigest(reported: string, of: string, messages = ""): Digest {
  const digest = parseDigest(reported.trim());
  if (digest !== undefined) return digest;
  const problem =
    reported.trim() === ""
      ? `buildah ended with exit code 0, but reported no ${of}`
      : `buildah reported ${JSON.stringify(reported.trim())} as ${of}; allowed: sha256: and 64 hexadecimal digits`;
  throw new Error([problem, messages.trim()].filter(Boolean).join("\n"));
}
