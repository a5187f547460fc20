/** `npm run site`: builds the documentation site into site/dist. */
import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { home } from "./home.ts";
import { linked, navigation, pagesIn, sitePage, titleOf, withAnchors } from "./pages.ts";

const root = join(import.meta.dirname, "..");
const work = join(root, "node_modules/.cache/site");
const source = join(work, "pages");
const output = join(root, "site/dist");

/** Entry points whose exports are the API reference. */
const entryPoints = ["components/index.ts", "sdk/index.ts", "upgrade/index.ts"];

rmSync(work, { recursive: true, force: true });
cpSync(join(root, "docs/images"), join(source, "images"), { recursive: true });
for (const page of pagesIn(join(root, "docs")))
  write(sitePage(page), linked(readFileSync(join(root, "docs", `${page}.md`), "utf8"), page));
run("typedoc", [
  ...["--plugin", "typedoc-plugin-markdown", "--out", join(source, "api")],
  ...["--tsconfig", "tsconfig.json", "--skipErrorChecking", "--readme", "none", "--disableSources"],
  ...["--outputFileStrategy", "modules", "--entryFileName", "index"],
  ...["--excludeExternals", "--logLevel", "Error"],
  ...entryPoints,
]);
const pages = pagesIn(source);
for (const page of pages.filter((each) => each.startsWith("api/")))
  write(page, withAnchors(read(page)));
write("index", home(readFileSync(join(root, "README.md"), "utf8")));
const sidebar = navigation(pages).map(({ title, isCollapsed, pages: its }) => ({
  text: title,
  ...(isCollapsed !== undefined && { collapsed: isCollapsed }),
  items: its.map((page) => ({ text: titleOf(read(page), page), link: `/${page}` })),
}));
writeFileSync(join(work, "sidebar.json"), JSON.stringify(sidebar));
run("vitepress", ["build", "site", "--outDir", output]);

function read(page: string): string {
  return readFileSync(join(source, `${page}.md`), "utf8");
}

function write(page: string, text: string): void {
  const path = join(source, `${page}.md`);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}

function run(program: string, args: readonly string[]): void {
  const { status } = spawnSync(join(root, "node_modules/.bin", program), args, {
    cwd: root,
    stdio: "inherit",
  });
  if (status !== 0) process.exit(1);
}
