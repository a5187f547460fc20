import { relative, sep } from "node:path";
import { BaseSequencer, type TestSpecification } from "vitest/node";
import { repositoryRoot } from "./repository.ts";

/** Files that take the longest; in a fresh clone nobody has measured any. */
const heavy = [
  "test/packaging/tarball.test.ts",
  "test/orchestration/capacity.test.ts",
  "test/multi-cluster/mixed-crds.test.ts",
  "bench/routing/simulate.test.ts",
  "test/multi-cluster/examples.test.ts",
  "demo/demo.test.ts",
  "test/attacks/attacks.test.ts",
  "test/traffic/examples.test.ts",
  "test/traffic/flow-control.test.ts",
  "test/traffic/imports.test.ts",
  "test/traffic/picker-end.test.ts",
  "test/lifecycle/interrupted.test.ts",
  "cli/check/check.test.ts",
  "runtime/image/image.test.ts",
  "test/examples.test.ts",
  "test/traffic/failing-pod.test.ts",
  "test/policies/every-rule.test.ts",
  "test/policies/examples.test.ts",
  "test/docs/typescript.test.ts",
  "test/planned-probes.test.ts",
];

/** Starts the longest files first, so that no worker ends with one alone. */
export class HeavyFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const place = ({ moduleId }: TestSpecification) => {
      const at = heavy.indexOf(relative(repositoryRoot, moduleId).replaceAll(sep, "/"));
      return at < 0 ? heavy.length : at;
    };
    return (await super.sort(files)).sort((a, b) => place(a) - place(b));
  }
}
