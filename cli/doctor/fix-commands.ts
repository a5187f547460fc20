import { prerequisiteNames, prerequisites } from "../../sdk/platform/prerequisites.ts";
import type { CheckResult } from "./check-result.ts";

/** Commands that change a cluster. Others, such as `kubectl describe`, help to find a cause. */
const changes = /^(helm |vcctl |kubectl (apply|scale|rollout) |npx [^|]+\| *kubectl apply )/;

/** Commands that install prerequisites, in the order of installing. */
const installs: readonly string[] = prerequisiteNames.map((name) => prerequisites[name].install);

/**
 * Returns a shell script that fixes findings: each command once, after comments with the findings that it fixes. A fix
 * that is not a command is a comment. Installations come first, in the order that they need.
 */
export function fixScript(findings: readonly CheckResult[]): string {
  const fixes = Map.groupBy(
    findings.filter(({ level, fix }) => level !== "ok" && fix !== undefined),
    ({ fix }) => fix as string,
  );
  const others = [...fixes.keys()].filter((fix) => !installs.includes(fix));
  return [...installs, ...others]
    .filter((fix) => fixes.has(fix))
    .map((fix) =>
      [
        ...(fixes.get(fix) ?? []).map(({ level, title }) => `# ${level}: ${oneLine(title)}`),
        changes.test(fix) ? oneLine(fix) : `# by hand: ${oneLine(fix)}`,
      ].join("\n"),
    )
    .map((text) => `${text}\n`)
    .join("\n");
}

/** Names of objects come from the cluster; a line break would end the comment. */
const oneLine = (text: string): string => text.replaceAll(/\s*[\r\n\u2028\u2029]+\s*/g, " ");
