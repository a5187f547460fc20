import { spawnSync } from "node:child_process";
import { existsSync, globSync, readFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { extname, join } from "node:path";
import chromium from "@sparticuz/chromium";
import { type Browser, type Page, chromium as playwright } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { inReadingOrder, linked, navigation, withAnchors } from "../../site/pages.ts";
import { repositoryRoot } from "../../testing/repository.ts";

/** The built documentation site, as a real Chromium shows it. */

const dist = join(repositoryRoot, "site/dist");
const types: Readonly<Record<string, string>> = {
  ".html": "text/html",
  ".js": "text/javascript",
  ".css": "text/css",
  ".svg": "image/svg+xml",
  ".json": "application/json",
};

/** A page as the browser sees it: ids of headings, addresses of links, images that did not load. */
interface Found {
  readonly ids: readonly string[];
  readonly links: readonly string[];
  readonly images: readonly string[];
}

const inPage = `({
  ids: [...document.querySelectorAll("[id]")].map(({ id }) => id),
  links: [...document.querySelectorAll("a[href]")].map(({ href }) => href),
  images: [...document.images].filter((image) => image.naturalWidth === 0).map(({ src }) => src),
})`;

let server: Server;
let browser: Browser;
let origin: string;
/** The output of the build. */
let messages: string;

beforeAll(async () => {
  const built = spawnSync(process.execPath, ["site/build.ts"], {
    cwd: repositoryRoot,
    encoding: "utf8",
  });
  if (built.status !== 0) throw new Error(`site/build.ts failed:\n${built.stdout}${built.stderr}`);
  messages = `${built.stdout}${built.stderr}`;
  server = createServer(({ url = "/" }, response) => {
    const { pathname } = new URL(url, "http://site");
    const path = join(dist, pathname.endsWith("/") ? `${pathname}index.html` : pathname);
    if (!existsSync(path)) return response.writeHead(404).end();
    return response
      .writeHead(200, { "content-type": types[extname(path)] ?? "application/octet-stream" })
      .end(readFileSync(path));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  browser = await playwright.launch({
    executablePath: await chromium.executablePath(),
    // The package's default arguments run everything in one process, which ends when a second page opens.
    args: ["--no-sandbox", "--disable-gpu"],
  });
}, 240_000);

afterAll(async () => {
  await browser?.close();
  server?.close();
});

/** Opens a page. Returns it with the problems found while it loaded. */
async function opened(path: string): Promise<{ page: Page; problems: string[] }> {
  const page = await browser.newPage({ viewport: { width: 1_280, height: 900 } });
  const problems: string[] = [];
  page.on("console", (message) => {
    if (message.type() === "error") problems.push(`${path}: console: ${message.text()}`);
  });
  page.on("pageerror", ({ message }) => problems.push(`${path}: ${message}`));
  page.on("request", (request) => {
    const url = request.url();
    if (!url.startsWith(origin) && !url.startsWith("data:"))
      problems.push(`${path}: requests ${url}`);
  });
  page.on("response", (response) => {
    if (response.status() >= 400) problems.push(`${path}: ${response.status()} ${response.url()}`);
  });
  await page.goto(`${origin}${path}`, { waitUntil: "networkidle" });
  return { page, problems };
}

/** Runs a function for each item, a number of them concurrently. */
async function concurrently<T>(number: number, items: T[], run: (item: T) => Promise<void>) {
  const rest = items.values();
  const lane = async () => {
    for (const item of rest) await run(item);
  };
  await Promise.all(Array.from({ length: number }, lane));
}

const htmlPages = () =>
  globSync("**/*.html", { cwd: dist })
    .filter((path) => path !== "404.html")
    .map((path) => `/${path}`)
    .sort();

describe("the documentation site", () => {
  it("loads every page without an error, a broken link or a request to the network, and fits a screen of 390 px", async () => {
    const ids = new Map<string, Set<string>>();
    const links: Array<readonly [from: string, to: string]> = [];
    const problems: string[] = [];
    await concurrently(4, htmlPages(), async (path) => {
      const { page, problems: own } = await opened(path);
      const found = (await page.evaluate(inPage)) as Found;
      ids.set(path, new Set(found.ids));
      links.push(...found.links.map((to) => [path, to] as const));
      problems.push(...own, ...found.images.map((src) => `${path}: shows no image ${src}`));
      await page.setViewportSize({ width: 390, height: 844 });
      const width = Number(await page.evaluate("document.documentElement.scrollWidth"));
      if (width > 390) problems.push(`${path}: is ${width} px wide on a screen of 390 px`);
      await page.close();
    });
    for (const [from, to] of links) {
      if (!to.startsWith(origin)) continue;
      const { pathname, hash } = new URL(to);
      const anchors = ids.get(pathname.endsWith("/") ? `${pathname}index.html` : pathname);
      if (anchors === undefined) problems.push(`${from}: no page ${pathname}`);
      else if (hash !== "" && !anchors.has(decodeURIComponent(hash.slice(1))))
        problems.push(`${from}: no heading ${pathname}${hash}`);
    }
    expect([...new Set(problems)].join("\n")).toBe("");
    expect(ids.size).toBeGreaterThan(60);
  }, 180_000);

  it("finds ten words by its search", async () => {
    const { page } = await opened("/");
    await page.click(".VPNavBarSearch button");
    const nothing: string[] = [];
    for (const word of [
      ...["gang", "LeaderWorkerSet", "rdma", "LoRA", "autoscaling", "tenant", "uninstall"],
      ...["h100-sxm", "PodGroup", "canary"],
    ]) {
      await page.fill(".search-input", word);
      const result = page.locator(".VPLocalSearchBox .result").first();
      await result.waitFor({ timeout: 5_000 }).catch(() => nothing.push(word));
    }
    expect(nothing).toEqual([]);
    await page.close();
  });
});

describe("a reader of the site", () => {
  it("a build prints no warning, and the command that serves the site", () => {
    expect(messages).not.toMatch(/warn|not loaded|\(!\)/i);
    expect(messages).toContain("The site is in site/dist. To read it, run: npx vitepress preview");
  });

  it("the home states what is not published, and its first button leads to the quickstart", async () => {
    const { page } = await opened("/index.html");
    expect(await page.textContent(".warning")).toContain("Nothing is published yet");
    expect(await page.textContent(".warning")).toContain("Nothing has run on a GPU");
    expect(await page.getAttribute(".VPHero .actions a", "href")).toBe("/quickstart.html");
    await page.close();
  });

  it("the sidebar starts with the quickstart, and with the index of the how-to pages", async () => {
    const { page } = await opened("/how-to/index.html");
    const titles = await page.locator(".VPSidebar .item a").allTextContents();
    expect(titles.slice(0, 3)).toEqual(["Quickstart", "Install", "The first hour"]);
    const at = titles.indexOf("How-to pages");
    expect(titles.slice(at, at + 3)).toEqual([
      "How-to pages",
      "Run a model on one node",
      "Run a model over two nodes",
    ]);
    await page.close();
  });

  it.each([1_440, 390])("descriptions of arguments are on a screen of %i px", async (width) => {
    const { page } = await opened("/reference/InferenceService.html");
    await page.setViewportSize({ width, height: 900 });
    const cells = page.locator(".vp-doc table tbody td:nth-child(2)");
    const box = await cells.first().boundingBox();
    expect(box?.width).toBeGreaterThan(250);
    expect((box?.x ?? 0) + (box?.width ?? 0)).toBeLessThanOrEqual(width);
    await page.close();
  });
});

describe("pages of the site", () => {
  it("pages keep links to other pages, and lead links to other files to the repository", () => {
    expect(
      linked("[a](gangs.md#x) [b](../sdk/index.ts) [c](#y) [d](reference/README.md)", "p"),
    ).toBe(
      "[a](gangs.md#x) [b](https://github.com/pulumi-inference/pulumi-inference/blob/main/sdk/index.ts) [c](#y) [d](reference/index.md)",
    );
  });

  it("links to the quickstart lead to its page, whose links lead to other pages", () => {
    expect(linked("[a](../examples/quickstart) [b](../examples/quickstart/README.md#x)", "p")).toBe(
      "[a](/quickstart.md) [b](/quickstart.md#x)",
    );
    const file = "examples/quickstart/README.md";
    expect(linked("[a](../../docs/how-to/README.md) [b](index.ts)", "quickstart", file)).toBe(
      "[a](/how-to/index.md) [b](https://github.com/pulumi-inference/pulumi-inference/blob/main/examples/quickstart/index.ts)",
    );
  });

  it("pages of a folder have the order of its index", () => {
    const pages = ["f/a", "f/b", "f/index", "f/z"];
    const text = () => "[z](z.md) [a](a.md)";
    expect(inReadingOrder("f/", pages, text)).toEqual(["f/index", "f/z", "f/a", "f/b"]);
  });

  it("pages of the API have no numbers in links to a name that one heading has", () => {
    expect(withAnchors("### A\n### B\n### B\n[a](#a-1) [b](#b-1)")).toContain("[a](#a) [b](#b-1)");
  });

  it("pages are refused if the navigation does not list them", () => {
    expect(() => navigation(["lost"])).toThrow("pages in no group: lost");
  });
});
