import { relative, sep } from "node:path";
import { BaseSequencer, type TestSpecification } from "vitest/node";
import { repositoryRoot } from "./repository.ts";

/**
 * Returns a sequencer that starts the given files first, in this order, so that no worker ends with a long one alone. A
 * fresh clone has no measured durations.
 */
export const heavyFirst = (heavy: readonly string[]): typeof BaseSequencer =>
  class HeavyFirst extends BaseSequencer {
    override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
      const rank = ({ moduleId }: TestSpecification) => {
        const at = heavy.indexOf(relative(repositoryRoot, moduleId).replaceAll(sep, "/"));
        return at < 0 ? heavy.length : at;
      };
      return (await super.sort(files)).sort((a, b) => rank(a) - rank(b));
    }
  };
