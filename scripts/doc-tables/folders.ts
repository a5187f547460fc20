import { folders } from "../walls/folders.ts";
import { codes, table } from "./table.ts";

/** The top-level folders, and what each may import. */
export const foldersTable = (): string[] =>
  table(
    ["Folder", "Holds", "Imports"],
    Object.entries(folders).map(([name, { holds, imports }]) => [
      `[\`${name}\`](../${name})`,
      holds,
      codes(imports),
    ]),
  );
