import { readFileSync } from "node:fs";
import { join } from "node:path";
import { defineConfig } from "vitepress";

/** Pages and sidebar that `site/build.ts` has written. */
const work = join(import.meta.dirname, "../../node_modules/.cache/site");

export default defineConfig({
  title: "pulumi-inference",
  description: "Run large language models on Kubernetes from TypeScript",
  srcDir: join(work, "pages"),
  cacheDir: join(work, "cache"),
  // Also for `vitepress preview site`.
  outDir: join(import.meta.dirname, "../dist"),
  cleanUrls: false,
  lastUpdated: false,
  // No highlighter knows PromQL; the comments and words of Python are the nearest. Type parameters such as Output<string> must be shown as text.
  markdown: { html: false, languageAlias: { promql: "python" } },
  // The search index is one chunk.
  vite: { build: { chunkSizeWarningLimit: 4_000 } },
  themeConfig: {
    search: { provider: "local" },
    outline: { level: [2, 3] },
    nav: [
      { text: "Quickstart", link: "/quickstart" },
      { text: "Guide", link: "/first-hour" },
      { text: "How to", link: "/how-to/" },
      { text: "Reference", link: "/reference/" },
    ],
    sidebar: JSON.parse(readFileSync(join(work, "sidebar.json"), "utf8")),
    socialLinks: [{ icon: "github", link: "https://github.com/pulumi-inference/pulumi-inference" }],
  },
});
