import { type Outcome, weightOf } from "../outcome.ts";

/** Returns one object: findings with the texts of their policies, and errors of a program. */
export function jsonReport({ findings, objects, unchecked, errors }: Outcome): string {
  const report = {
    objects,
    findings: findings.map((finding) => ({
      policy: finding.policy.name,
      pack: finding.policy.pack,
      weight: weightOf(finding),
      ...(finding.location && { place: finding.location }),
      message: finding.message,
      why: finding.policy.description,
      fix: finding.policy.fix,
      url: finding.policy.url,
    })),
    unchecked,
    errors,
  };
  return `${JSON.stringify(report, null, 2)}\n`;
}
