import { withEntities } from "../../../sdk/xml-text.ts";
import { type Outcome, type Violation, weightOf } from "../outcome.ts";

/**
 * Returns JUnit's XML for GitLab and Jenkins: a test case for each policy, which fails if it has errors. Warnings and
 * unknown values are its output.
 */
export function junitReport({ policies, findings, errors }: Outcome): string {
  const cases = policies.map(({ name, pack, title }) => {
    const own = findings.filter(({ policy }) => policy.name === name && policy.pack === pack);
    const wrong = own.filter((each) => weightOf(each) === "error");
    const text = own.filter((each) => weightOf(each) !== "error");
    return {
      isFailed: wrong.length > 0,
      lines: [
        `    <testcase classname="${escaped(pack)}" name="${escaped(name)}">`,
        ...(wrong.length === 0
          ? []
          : [
              `      <failure message="${escaped(title)}">${escaped(wrong.map(lineOf).join("\n"))}</failure>`,
            ]),
        ...(text.length === 0
          ? []
          : [`      <system-out>${escaped(text.map(lineOf).join("\n"))}</system-out>`]),
        "    </testcase>",
      ],
    };
  });
  const failures = cases.filter(({ isFailed }) => isFailed).length;
  const counts = `tests="${cases.length + errors.length}" failures="${failures}" errors="${errors.length}"`;
  return `${[
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites ${counts}>`,
    `  <testsuite name="pulumi-inference check" ${counts}>`,
    ...cases.flatMap(({ lines }) => lines),
    ...errors.flatMap((error) => [
      '    <testcase classname="program" name="preview">',
      `      <error message="The program cannot be previewed">${escaped(error)}</error>`,
      "    </testcase>",
    ]),
    "  </testsuite>",
    "</testsuites>",
  ].join("\n")}\n`;
}

const lineOf = (finding: Violation) =>
  `${weightOf(finding)}: ${finding.location ? `${finding.location.name}: ` : ""}${finding.message}\n${finding.policy.fix}`;

/** XML does not allow control characters, not even as entities. */
const escaped = (text: string) => withEntities(text).replace(unprintable, "\ufffd");

const unprintable = /(?![\t\n\r])[\p{Cc}\ufffe\uffff]/gu;
