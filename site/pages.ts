import { globSync } from "node:fs";
import { join, posix } from "node:path";
import { type Group, groups } from "./navigation.ts";

/** Links to files of the repository that are not pages of the site lead here. */
const repositoryUrl = "https://github.com/pulumi-inference/pulumi-inference/blob/main";

/** Returns the pages of a folder of docs, without `.md`. */
export const pagesIn = (folder: string): string[] =>
  globSync("**/*.md", { cwd: folder })
    .map((path) => path.replace(/\.md$/, ""))
    .sort();

/**
 * Returns the groups of the sidebar with the pages of their folders.
 *
 * @throws Error naming the pages without a group, and the entries without a page
 */
export function navigation(pages: readonly string[]): Group[] {
  const expanded = groups.map((group) => ({
    ...group,
    pages: group.pages.flatMap((entry) =>
      entry.endsWith("/") ? pages.filter((page) => page.startsWith(entry)) : [entry],
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

/** Returns a page's text without comments. Links to files that are not pages lead to the repository. */
export function linked(text: string, page: string): string {
  const folder = posix.dirname(join("docs", page));
  return text
    .replaceAll(/^<!--.*-->\n/gm, "")
    .replaceAll(
      /(\]\()((?!https?:|#|mailto:)[^)\s#]+)(#[^)\s]*)?(\))/g,
      (link, open: string, target: string, anchor = "", close: string) => {
        const path = posix.normalize(posix.join(folder, target));
        const isPage = path.startsWith("docs/") && /\.(md|svg|png)$/.test(path);
        if (isPage) return link.replace(/README\.md/, "index.md");
        return `${open}${repositoryUrl}/${path}${anchor}${close}`;
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
