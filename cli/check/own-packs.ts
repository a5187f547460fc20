import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { isCheckout, isStale } from "../checkout.ts";
import { UsageError } from "../exit-code.ts";

/**
 * Builds the file that this package's packs share if it is older than a source of the checkout, because a check with it
 * would silently omit new rules.
 *
 * @throws UsageError if it cannot be built, or an installed package does not contain it
 */
export function ensureOwnPacks(root: string): void {
  const file = join(root, "policies", "serve-pack.cjs");
  if (isCheckout(root) && isStale(file, root)) {
    const script = join(root, "policies", "bundle.ts");
    const { status, signal, stderr } = spawnSync(process.execPath, [script], { encoding: "utf8" });
    if (status !== 0 || isStale(file, root))
      throw new UsageError(
        `${file} is older than its sources, and ${script} ended with ${signal ?? `exit code ${status}`} without building it: ${stderr.trim()}`,
      );
  }
  if (!existsSync(file)) throw new UsageError(`there is no ${file}; install the package again`);
}
