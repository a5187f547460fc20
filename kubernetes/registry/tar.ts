/**
 * Returns the regular files of a tar archive (POSIX ustar) by name, without a leading `./`.
 *
 * @throws Error if the archive ends within a file
 */
export function readTar(archive: Buffer): Map<string, Buffer> {
  const files = new Map<string, Buffer>();
  for (let at = 0; at + 512 <= archive.length; ) {
    const text = (from: number, length: number) =>
      archive.toString("utf8", at + from, at + from + length).replace(/\0.*$/s, "");
    const name = [text(345, 155), text(0, 100)].filter(Boolean).join("/");
    if (name === "") break;
    const size = Number.parseInt(text(124, 12), 8);
    const end = at + 512 + size;
    if (!(size >= 0 && end <= archive.length)) throw new Error(`the archive ends within ${name}`);
    const type = text(156, 1);
    if (type === "" || type === "0")
      files.set(name.replace(/^\.\//, ""), archive.subarray(at + 512, end));
    at += 512 + Math.ceil(size / 512) * 512;
  }
  return files;
}
