/** A top-level folder with code: its contents, and the folders that its product code may import. */
export interface Folder {
  readonly holds: string;
  readonly imports: readonly string[];
  /** The only file that other folders may import. Default: all files. */
  readonly entry?: string;
}

/** Folders of the installed package, without `testing` and the programs around the product. */
export const product = [
  "kubernetes",
  "scheduling",
  "sdk",
  "components",
  "runtime",
  "policies",
  "recorder",
  "program-tests",
  "cli",
];

/** The folders of docs/architecture.md. Tests may also import `testing` and every folder of the product. */
export const folders: Readonly<Record<string, Folder>> = {
  kubernetes: {
    holds:
      "the Kubernetes layer under everything: `kinds` (one table), `values` (quantities, paths, names) and, with I/O, `api` (client, kubeconfig), `cache` (reflector), `control` (queue, leader election), `registry` (references and registries of images)",
    imports: [],
  },
  scheduling: {
    holds:
      "the endpoint picker's scheduler and its configuration, without I/O: plugins, profiles, prefix cache. A clock is read only to measure plugins.",
    imports: ["kubernetes"],
  },
  sdk: {
    holds: "the pure core: specs, rules, plans, statuses; no I/O, no Pulumi, no clock",
    imports: ["kubernetes/kinds", "kubernetes/values", "scheduling"],
  },
  components: {
    holds: "thin Pulumi ComponentResources; typed classes of the kinds",
    imports: ["kubernetes", "sdk"],
  },
  plugin: {
    holds:
      "the plugin of the Pulumi CLI for [other languages](languages.md): manifest, schema and entry. Its code is in `components/plugin`.",
    imports: [],
  },
  runtime: {
    holds:
      "one image: the [endpoint picker](endpoint-picker.md), below, and controllers that watch, compute and write",
    imports: ["kubernetes", "scheduling", "sdk"],
  },
  policies: {
    holds: "policy packs: the rules of `sdk/rules/objects` by @pulumi/policy",
    imports: ["kubernetes", "sdk"],
  },
  recorder: {
    holds: "records the resources that a Pulumi program registers, without the CLI and a cluster",
    imports: ["kubernetes"],
    entry: "recorder/index.ts",
  },
  cli: {
    holds: "the command line program `pulumi-inference`",
    imports: ["kubernetes", "sdk", "recorder"],
  },
  "program-tests": {
    holds:
      "the entry `pulumi-inference/testing` for tests of programs: the recorder, and `checkUpgrade()` with the impact of `sdk`",
    imports: ["kubernetes", "sdk", "recorder"],
  },
  examples: { holds: "Pulumi programs for users to start from", imports: [] },
  testing: {
    holds:
      "the embedded cluster, its stand-ins, Envoy, drivers of ext_proc: what tests, benchmarks and the demo start",
    imports: ["kubernetes", "scheduling", "sdk", "runtime", "recorder"],
  },
  scripts: {
    holds: "what generates and checks files of the repository",
    imports: [
      "cli",
      "kubernetes",
      "scheduling",
      "sdk",
      "components",
      "runtime",
      "recorder",
      "examples",
      "testing",
    ],
  },
  site: { holds: "the documentation site, which is built from `docs`", imports: [] },
  test: {
    holds: "tests across folders: conformance, lifecycle, traffic, attacks, packaging",
    imports: [...product, "examples", "testing", "bench", "scripts", "site"],
  },
  bench: {
    holds: "benchmarks: programs that start a cluster of their own",
    imports: [...product, "testing", "test"],
  },
  demo: {
    holds: "`npm run demo`",
    imports: ["kubernetes", "sdk", "components", "recorder", "testing"],
  },
};

/** Reports whether a file belongs to tests. */
export const isTest = (path: string): boolean =>
  /\.(test|fixture|soak|behaviour|cases)\.ts$|\/fixtures\//.test(path);
