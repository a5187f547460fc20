/** A group of the sidebar: pages of docs/, without `.md`. */
export interface Group {
  readonly title: string;
  readonly pages: readonly string[];
  /** Whether the group is initially closed. */
  readonly isCollapsed?: boolean;
}

/**
 * The sidebar, in the order in which a reader needs the pages. A folder lists all of its pages: its index, then the
 * pages in the order of the index's links. `pages.ts` refuses a page without a group.
 */
export const groups: readonly Group[] = [
  {
    title: "Start",
    pages: ["quickstart", "install", "first-hour", "kind", "clouds", "air-gap", "glossary"],
  },
  { title: "How to", pages: ["how-to/"] },
  {
    title: "Models",
    pages: [
      "models-and-accelerators",
      "models",
      "start-up",
      "gangs",
      "prefill-decode",
      "gpu-nodes",
    ],
  },
  {
    title: "Requests",
    pages: ["requests", "pools", "endpoint-picker", "flow-control", "model-router", "gateways"],
  },
  {
    title: "Operate",
    pages: [
      ...[
        "scaling",
        "debugging",
        "metrics",
        "objectives",
        "dashboards",
        "tracing",
        "upgrade",
        "gitops",
      ],
      ...["image", "access", "security", "limits", "multi-cluster"],
    ],
  },
  { title: "Languages", pages: ["languages", "languages/"] },
  { title: "Pods", pages: ["pod-plugins", "pod-plugins-built-in"] },
  { title: "Test and check", pages: ["unit-tests", "policies", "rules"] },
  {
    title: "Reference",
    pages: ["reference/", "endpoint-picker-plugins", "picker-metrics"],
    isCollapsed: true,
  },
  { title: "API", pages: ["api/"], isCollapsed: true },
  {
    title: "Background",
    pages: [
      "comparison",
      "architecture",
      "benchmarks",
      "load-prediction",
      "prefix-cache",
      "decisions/",
    ],
    isCollapsed: true,
  },
];
