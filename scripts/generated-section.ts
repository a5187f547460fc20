/**
 * A page with a part of it replaced: what stands between `<!-- begin NAME: npm run generate -->` and `<!-- end NAME: npm run generate -->`.
 *
 * @throws Error where the page lacks one of the two
 */
export function withSection(page: string, name: string, content: string): string {
  const [begin, end] = [
    `<!-- begin ${name}: npm run generate -->`,
    `<!-- end ${name}: npm run generate -->`,
  ];
  const [from, to] = [page.indexOf(begin), page.indexOf(end)];
  if (from < 0 || to < from)
    throw new Error(`A generated page needs ${begin} and ${end} in order.`);
  return `${page.slice(0, from + begin.length)}\n${content}\n${page.slice(to)}`;
}
