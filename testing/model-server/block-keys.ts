import { hash } from "node:crypto";

/** The text of the last call: several engines look up the keys of one text in turn. */
let latest = { model: "", text: "", blockChars: 0, keys: [] as readonly string[] };

/** Returns a key for each whole block of `blockChars` characters: a hash of the model and all text up to the block's end. */
export function blockKeys(model: string, text: string, blockChars: number): readonly string[] {
  if (model !== latest.model || text !== latest.text || blockChars !== latest.blockChars)
    latest = { model, text, blockChars, keys: computedKeys(model, text, blockChars) };
  return latest.keys;
}

function computedKeys(model: string, text: string, blockChars: number): string[] {
  const keys: string[] = [];
  const pageChars = blocksPerPage * blockChars;
  for (let at = 0; at + blockChars <= text.length; at += pageChars)
    keys.push(...pageKeys(keys.at(-1) ?? model, text.slice(at, at + pageChars), blockChars));
  return keys;
}

/** Keys of 16 blocks in a row, the least recently used first: many prompts share a prefix, and prompts are sent again. */
const pages = new Map<string, readonly string[]>();
const blocksPerPage = 16;
const mostPages = 32_768;

/** Returns the keys of the whole blocks in `text`, which follow the block with the key `before`. */
function pageKeys(before: string, text: string, blockChars: number): readonly string[] {
  const page = `${blockChars}\0${before}\0${text}`;
  const keys = pages.get(page) ?? hashes(before, text, blockChars);
  pages.delete(page);
  pages.set(page, keys);
  if (pages.size > mostPages) pages.delete(pages.keys().next().value ?? "");
  return keys;
}

function hashes(before: string, text: string, blockChars: number): string[] {
  const keys: string[] = [];
  let key = before;
  for (let at = 0; at + blockChars <= text.length; at += blockChars) {
    key = hash("sha1", `${key}\0${text.slice(at, at + blockChars)}`, "base64");
    keys.push(key);
  }
  return keys;
}
