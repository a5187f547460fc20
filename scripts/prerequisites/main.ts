import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { brotliCompressSync, constants } from "node:zlib";
import { prerequisiteObjects } from "./objects.ts";

/**
 * `npm run prerequisites`: writes the manifests of the prerequisites' pinned versions, from their Go modules, into one
 * compressed constant of the package. Run it after a version in `testing/go` changes.
 */

const text = Buffer.from(JSON.stringify(await prerequisiteObjects()));
const packed = brotliCompressSync(text, {
  params: {
    [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY,
    [constants.BROTLI_PARAM_LGWIN]: constants.BROTLI_MAX_WINDOW_BITS,
    [constants.BROTLI_PARAM_SIZE_HINT]: text.length,
  },
});
const file = join(import.meta.dirname, "../../sdk/platform/packed-manifests.ts");
writeFileSync(
  file,
  `/** Made by \`npm run prerequisites\`: JSON of the objects by prerequisite, compressed with Brotli, in Base64. */
export const packedManifests =
  "${packed.toString("base64")}";
`,
);
console.log(`wrote ${file}: ${text.length} bytes, ${packed.length} packed`);
