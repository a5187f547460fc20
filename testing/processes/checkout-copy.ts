import { execFileSync } from "node:child_process";
import { copyFileSync, existsSync, mkdirSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { repositoryRoot } from "../repository.ts";

/** Copies the checkout's files and node_modules, without ignored files. node_modules has hard links if possible. */
export function copyCheckout(folder: string): void {
  const list = ["ls-files", "-z", "--cached", "--others", "--exclude-standard"];
  const files = execFileSync("git", list, { cwd: repositoryRoot, encoding: "utf8" }).split("\0");
  for (const file of files) {
    const source = join(repositoryRoot, file);
    if (file === "" || !existsSync(source)) continue;
    mkdirSync(dirname(join(folder, file)), { recursive: true });
    copyFileSync(source, join(folder, file));
  }
  const [source, target] = [join(repositoryRoot, "node_modules"), join(folder, "node_modules")];
  try {
    execFileSync("cp", ["-al", source, target], { stdio: "ignore" });
  } catch {
    // The folders are on different file systems.
    rmSync(target, { recursive: true, force: true });
    execFileSync("cp", ["-a", source, target]);
  }
  // Programs write to files of the cache in place.
  rmSync(join(target, ".cache"), { recursive: true, force: true });
}
