import { globSync } from "node:fs";
import { posix } from "node:path";
import { type Group, groups } from "./navigation.ts";

/** Links to files of the repository that are not pages of the site lead here. */
const repositoryUrl = "https://github.com/pulumi-inference/pulumi-inference/blob/main";

/** Pages of the site from outside docs/: paths from the repository's root, by page. */
export const otherPages = { quickstart: "examples/quickstart/README.md" } as const;

/** Returns the pages of a folder of docs, without `.md`. */
export const pagesIn = (folder: string): string[] =>
  globSync("**/*.md", { cwd: folder })
    .map((path) => path.replace(/\.md$/, ""))
    .sort();

/**
 * Returns the groups of the sidebar with the pages of their folders.
 *
 * @param textOf returns the text of a page, for the order of the links of an index
 * @throws Error naming the pages without a group, and the entries without a page
 */
export function navigation(
  pages: readonly string[],
  textOf: (page: string) => string = () => "",
): Group[] {
  const expanded = groups.map((group) => ({
    ...group,
    pages: group.pages.flatMap((entry) =>
      entry.endsWith("/") ? inReadingOrder(entry, pages, textOf) : [entry],
    ),
  }));
  const listed = expanded.flatMap((group) => group.pages);
  const unlisted = pages.filter((page) => !listed.includes(page));
  const missing = listed.filter((page) => !pages.includes(page));
  if (unlisted.length > 0 || missing.length > 0)
    throw new Error(
      `site/navigation.ts: pages in no group: ${unlisted.join(", ") || "none"}; entries without a page: ${missing.join(", ") || "none"}. Correct its groups.`,
    );
  return expanded;
}

/** Returns the pages of a folder: its index, the pages in the order of the index's links, and then the others. */
export function inReadingOrder(
  folder: string,
  pages: readonly string[],
  textOf: (page: string) => string,
): string[] {
  const index = `${folder}index`;
  const own = pages.filter((page) => page.startsWith(folder) && page !== index);
  if (!pages.includes(index)) return own;
  const text = textOf(index);
  const at = (page: string) => {
    const found = text.indexOf(`](${page.slice(folder.length)}.md`);
    return found < 0 ? text.length : found;
  };
  return [index, ...own.toSorted((a, b) => at(a) - at(b))];
}

/** Returns a page's text without comments. Links to files that are not pages lead to the repository. */
export function linked(text: string, page: string, file = `docs/${page}.md`): string {
  const folder = posix.dirname(file);
  return text
    .replaceAll(/^<!--.*-->\n/gm, "")
    .replaceAll(
      /(\]\()((?!https?:|#|mailto:)[^)\s#]+)(#[^)\s]*)?(\))/g,
      (link, open: string, target: string, anchor = "", close: string) => {
        const path = posix.normalize(posix.join(folder, target));
        const [other] =
          Object.entries(otherPages).find(([, source]) =>
            [source, posix.dirname(source)].includes(path.replace(/\/$/, "")),
          ) ?? [];
        if (other !== undefined) return `${open}/${other}.md${anchor}${close}`;
        if (!path.startsWith("docs/") || !/\.(md|svg|png)$/.test(path))
          return `${open}${repositoryUrl}/${path}${anchor}${close}`;
        if (file.startsWith("docs/")) return link.replace(/README\.md/, "index.md");
        return `${open}${path.replace(/^docs/, "").replace(/README\.md$/, "index.md")}${anchor}${close}`;
      },
    );
}

/** Returns the first heading of a page. */
export const titleOf = (text: string, page: string): string =>
  /^# (.+)$/m.exec(text)?.[1]?.replaceAll("`", "") ?? posix.basename(page);

/** Returns the page's name in the site. README pages are the index of their folder. */
export const sitePage = (page: string): string => page.replace(/(^|\/)README$/, "$1index");

/**
 * Returns a page of TypeDoc with the anchors of the site, because TypeDoc numbers some names that only one heading
 * has.
 */
export function withAnchors(text: string): string {
  const headings = [...text.matchAll(/^#+ (.+?)(?:\(\))?$/gm)].map(([, name = ""]) =>
    name.toLowerCase(),
  );
  return text.replaceAll(/\(#([a-z]+)-1\)/g, (link, name: string) =>
    headings.filter((heading) => heading === name).length > 1 ? link : `(#${name})`,
  );
}
