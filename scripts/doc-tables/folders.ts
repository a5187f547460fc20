import { folders } from "../walls/folders.ts";
import { rooms } from "../walls/rooms.ts";
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

/** The rooms of `sdk`, from the bottom to the top. */
export const roomsTable = (): string[] =>
  table(
    ["Room", "Contents"],
    Object.entries(rooms).map(([path, contents]) => [`[\`${path}\`](../${path})`, contents]),
  );
