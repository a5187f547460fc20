import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { brotliCompressSync, constants } from "node:zlib";
import { prerequisiteObjects } from "./objects.ts";
import { objectSchemas } from "./schemas.ts";

/**
 * `npm run tool prerequisites`: writes the manifests of the prerequisites' pinned versions, and the schemas of kinds, from
 * their Go modules, into one compressed constant each. Run it after a version in `testing/go` changes.
 */

const manifests = await prerequisiteObjects();
write("platform/packed-manifests.ts", "packedManifests", "objects by prerequisite", manifests);
write("schemas/packed-schemas.ts", "packedSchemas", "schemas of kinds", await objectSchemas());

function write(path: string, name: string, contents: string, value: object): void {
  const text = Buffer.from(JSON.stringify(value));
  const packed = brotliCompressSync(text, {
    params: {
      [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY,
      [constants.BROTLI_PARAM_LGWIN]: constants.BROTLI_MAX_WINDOW_BITS,
      [constants.BROTLI_PARAM_SIZE_HINT]: text.length,
    },
  });
  const file = join(import.meta.dirname, "../../sdk", path);
  writeFileSync(
    file,
    `/** Made by \`npm run tool prerequisites\`: JSON of the ${contents}, compressed with Brotli, in Base64. */
export const ${name} =
  "${packed.toString("base64")}";
`,
  );
  console.log(`wrote ${file}: ${text.length} bytes, ${packed.length} packed`);
}
