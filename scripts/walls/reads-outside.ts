/** Returns every path that starts at a file's folder and leads outside the repository, as sentences. */
export function readsOutside(path: string, text: string): string[] {
  const depth = path.split("/").length - 1;
  return Array.from(
    text.matchAll(/import\.meta\.dirname((?:,\s*"\.\.")+)/g),
    ([, steps]) => steps?.match(/"\.\."/g)?.length ?? 0,
  ).flatMap((steps) =>
    steps > depth
      ? `${path} reads ${steps} folders above its own, which is outside the repository.`
      : [],
  );
}
