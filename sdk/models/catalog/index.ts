/** Catalog of current models. */
import type { CatalogEntry } from "./entry.ts";
export const catalog: ReadonlyMap<string, CatalogEntry> = new Map();
