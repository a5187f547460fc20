/** `npm run site`: builds the documentation site into site/dist. */
import { spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { home } from "./home.ts";
import {
  linked,
  navigation,
  otherPages,
  pagesIn,
  sitePage,
  titleOf,
  withAnchors,
} from "./pages.ts";

const root = join(import.meta.dirname, "..");
const work = join(root, "node_modules/.cache/site");
const source = join(work, "pages");
const output = join(root, "site/dist");

/** The class of pages whose tables have a row for each argument; `theme/style.css` uses it. */
const referenceClass = "---\npageClass: reference\n---\n\n";

/** Entry points whose exports are the API reference. */
const entryPoints = ["components/index.ts", "sdk/index.ts", "program-tests/index.ts"];

rmSync(work, { recursive: true, force: true });
rmSync(output, { recursive: true, force: true });
cpSync(join(root, "docs/images"), join(source, "images"), { recursive: true });
for (const page of pagesIn(join(root, "docs"))) {
  const text = linked(readFileSync(join(root, "docs", `${page}.md`), "utf8"), page);
  write(sitePage(page), page.startsWith("reference/") ? `${referenceClass}${text}` : text);
}
for (const [page, file] of Object.entries(otherPages))
  write(page, linked(readFileSync(join(root, file), "utf8"), page, file));
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
const sidebar = navigation(pages, read).map(({ title, isCollapsed, pages: its }) => ({
  text: title,
  ...(isCollapsed !== undefined && { collapsed: isCollapsed }),
  items: its.map((page) => ({ text: titleOf(read(page), page), link: `/${page}` })),
}));
writeFileSync(join(work, "sidebar.json"), JSON.stringify(sidebar));
run("vitepress", ["build", "site", "--outDir", output]);
for (const file of ["index.html", "quickstart.html", "how-to/index.html", "api/index.html"])
  if (!existsSync(join(output, file))) {
    console.error(`vitepress ended with exit code 0, but wrote no ${file}`);
    process.exit(1);
  }
console.log(
  `\nThe site is in ${relative(process.cwd(), output)}. To read it, run: npx vitepress preview site`,
);

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
