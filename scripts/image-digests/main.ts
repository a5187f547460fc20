import { engineImages } from "../../sdk/engines/models/engine-images.ts";
import { resolveDigest } from "./resolve-digest.ts";

/**
 * `npm run tool image-digests`: prints each engine image of the examples with its present digest in its registry, for
 * pinning in a template. If images are given as arguments, it resolves those instead. It exits with 1 if a registry
 * cannot be reached, because it prints only digests that it has computed.
 */

const [, , ...named] = process.argv;
const images = named.length > 0 ? named : Object.values(engineImages);

for (const image of images) {
  try {
    console.log(`${image}@${await resolveDigest(image)}`);
  } catch (error) {
    console.error((error as Error).message);
    process.exitCode = 1;
  }
}
