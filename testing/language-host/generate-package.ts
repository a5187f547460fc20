import { execFile } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import type { Language } from "./languages.ts";

/** Writes the package of a schema with Pulumi's own generator, which the program `pulumi-sdks` on PATH contains. */
export async function generatePackage(
  { generator }: Language,
  schema: string,
  directory: string,
): Promise<void> {
  if (generator === undefined) throw new Error("this stand-in writes no package for this language");
  const folder = mkdtempSync(join(tmpdir(), "schema-"));
  try {
    const file = join(folder, "schema.json");
    writeFileSync(file, schema);
    await promisify(execFile)("pulumi-sdks", [generator, file, directory]);
    if (!existsSync(directory) || readdirSync(directory).length === 0)
      throw new Error(`pulumi-sdks ${generator} ended with exit code 0, but wrote no file`);
  } finally {
    rmSync(folder, { recursive: true });
  }
}
