import { dirname } from "node:path/posix";
import { folders, isTest, product } from "./folders.ts";
import type { Imports } from "./source-imports.ts";

/** Returns every import from outside the repository, and every import that `folders` does not allow, as sentences. */
export function forbiddenImports(imports: Imports): string[] {
  return [...imports].flatMap(([path, targets]) =>
    targets.flatMap((target) => {
      if (target.startsWith("../"))
        return `${path} imports ${target}, which is outside the repository.`;
      const [from, to] = [topOf(path), topOf(target)];
      const { imports: allowed = [] } = folders[from] ?? {};
      if (from === to || !(from in folders) || !(to in folders)) return [];
      const { entry = target } = folders[to] ?? {};
      if (target !== entry)
        return `${path} imports ${target}: other folders may import only ${entry} (scripts/walls/folders.ts).`;
      if (isWithin(target, allowed)) return [];
      if (isTest(path) && [...product, "testing", "scripts"].includes(to)) return [];
      return `${path} imports ${target}: \`${from}\` may import ${allowed.join(", ") || "nothing"} (scripts/walls/folders.ts).`;
    }),
  );
}

const isWithin = (path: string, parts: readonly string[]): boolean =>
  parts.some((folder) => path.startsWith(`${folder}/`));

const topOf = (path: string): string => path.slice(0, Math.max(path.indexOf("/"), 0));

/** An import between children of a folder. */
interface SiblingImport {
  readonly folder: string;
  /** The importing child, and below it the imported one. */
  readonly from: string;
  readonly to: string;
  readonly sentence: string;
}

/**
 * Returns every cycle between children of one folder, at least one of which is a folder, as sentences. Imports of
 * types count, imports of tests do not. The linter reports cycles between files.
 */
export function folderCycles(imports: Imports): string[] {
  const siblings = [...imports]
    .filter(([path]) => !isTest(path))
    .flatMap(([path, targets]) => targets.flatMap((target) => siblingImport(path, target) ?? []));
  const children = Map.groupBy(siblings, ({ from }) => from);
  const cyclic = siblings.filter(
    ({ from, to }) => !(from.endsWith(".ts") && to.endsWith(".ts")) && leadsTo(children, to, from),
  );
  const pairs = new Map(cyclic.map((found) => [`${found.from} ${found.to}`, found]));
  return Array.from(
    pairs.values(),
    ({ from, to, sentence }) =>
      `${sentence}, but ${to} leads back to ${from}: move what both need below them.`,
  );
}

function siblingImport(path: string, target: string): SiblingImport | undefined {
  let folder = dirname(path);
  while (folder !== "." && !target.startsWith(`${folder}/`)) folder = dirname(folder);
  const child = (of: string) => `${folder}/${of.slice(folder.length + 1).split("/")[0]}`;
  const [from, to] = [child(path), child(target)];
  if (folder === "." || from === to) return undefined;
  return { folder, from, to, sentence: `${path} imports ${target}` };
}

function leadsTo(
  children: ReadonlyMap<string, readonly SiblingImport[]>,
  from: string,
  to: string,
): boolean {
  const seen = new Set([from]);
  for (const child of seen) for (const next of children.get(child) ?? []) seen.add(next.to);
  return seen.has(to);
}
