import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { isTest, product } from "./folders.ts";

const root = join(import.meta.dirname, "../..");

/** Returns the product code without comments, by path from the root: what tests search for spelled-out names. */
export const productCode = (): ReadonlyMap<string, string> =>
  new Map(
    globSync(`{${product.join(",")}}/**/*.ts`, {
      cwd: root,
      exclude: (name) => /node_modules|dist$/.test(name),
    })
      .filter((path) => !isTest(path))
      .map((path) => [path, withoutComments(readFileSync(join(root, path), "utf8"))]),
  );

export const withoutComments = (text: string): string =>
  text.replaceAll(/\/\*\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, "");
