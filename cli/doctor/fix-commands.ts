import { prerequisiteNames, prerequisites } from "../../sdk/platform/prerequisites.ts";
import type { Finding } from "./finding.ts";

/** Commands that change a cluster. Others, such as `kubectl describe`, help to find a cause. */
const changes = /^(helm |vcctl |kubectl (apply|scale|rollout) |npx [^|]+\| *kubectl apply )/;

/** Commands that install prerequisites, in the order of installing. */
const installs: readonly string[] = prerequisiteNames.map((name) => prerequisites[name].install);

/**
 * Returns a shell script that fixes findings: each command once, after comments with the findings that it fixes. A fix
 * that is not a command is a comment. Installations come first, in the order that they need.
 */
export function fixScript(findings: readonly Finding[]): string {
  const fixes = Map.groupBy(
    findings.filter(({ level, fix }) => level !== "ok" && fix !== undefined),
    ({ fix }) => fix as string,
  );
  const place = (fix: string) => installs.indexOf(fix) + 1 || Number.POSITIVE_INFINITY;
  const ordered = [...fixes].sort(([a], [b]) => (place(a) === place(b) ? 0 : place(a) - place(b)));
  return ordered
    .map(([fix, group]) =>
      [
        ...group.map(({ level, title }) => `# ${level}: ${oneLine(title)}`),
        changes.test(fix) ? oneLine(fix) : `# by hand: ${oneLine(fix)}`,
      ].join("\n"),
    )
    .map((text) => `${text}\n`)
    .join("\n");
}

/** Names of objects come from the cluster; a line break would end the comment. */
const oneLine = (text: string): string => text.replaceAll(/\s*[\r\n\u2028\u2029]+\s*/g, " ");
