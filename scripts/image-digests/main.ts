import { engineImages } from "../../sdk/models/engine-images.ts";
import { resolveDigest } from "./resolve-digest.ts";

/**
 * `npm run image-digests`: prints each engine image of the examples with the digest that its registry has today, to pin in a
 * template. Images as arguments are resolved instead. Exits with 1 if a registry cannot be reached: it prints no digest
 * that it did not compute.
 */

const [, , ...named] = process.argv;
const images = named.length > 0 ? named : Object.values(engineImages);

for (const image of images) {
  try {
    console.log(`${image}@${await resolveDigest(image)}`);
  } catch (error) {
    const { message, cause } = error as Error;
    const reason = cause instanceof Error && cause.message !== "" ? `: ${cause.message}` : "";
    console.error(message.startsWith(image) ? message : `${image}: ${message}${reason}`);
    process.exitCode = 1;
  }
}
