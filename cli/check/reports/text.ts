import { listed } from "../../../sdk/status/conditions.ts";
import { type Colour, coloured } from "../../output/colours.ts";
import type { Output } from "../../terminal.ts";
import { type Outcome, type Violation, type Weight, weightOf } from "../outcome.ts";

const colours: Record<Weight, Colour> = { error: "red", warning: "yellow", unknown: "grey" };

/** Returns a report for people: for each policy its reason, its fix, and the violations with their locations. */
export function textReport(outcome: Outcome, output: Pick<Output, "colour">): string {
  const of = (weight: Weight) => outcome.findings.filter((each) => weightOf(each) === weight);
  const paint = (weight: Weight) => coloured(output, colours[weight], weight);
  return [
    ...outcome.errors.map((error) => `${paint("error")} program: ${error}\n`),
    ...byPolicy(of("error"), paint("error")),
    ...byPolicy(of("warning"), paint("warning")),
    ...byMessage(of("unknown"), coloured(output, colours.unknown, "not known yet")),
    ...outcome.unchecked.map(
      ({ objects, reason }) =>
        `${coloured(output, colours.unknown, "not checked")}: ${reason}\n  ${listed(objects)}\n`,
    ),
    `${summary(outcome)}\n`,
  ].join("\n");
}

const byPolicy = (findings: readonly Violation[], word: string): string[] =>
  [...Map.groupBy(findings, ({ policy }) => policy)].map(([policy, own]) =>
    [
      `${word} ${policy.name}: ${policy.description}`,
      ...(policy.fix === "" ? [] : [`  To fix it: ${policy.fix}`]),
      ...own.map((finding) => `  - ${located(finding)}`),
      "",
    ].join("\n"),
  );

/** Groups findings by message, because one unknown value can affect many policies. */
const byMessage = (findings: readonly Violation[], word: string): string[] =>
  [...Map.groupBy(findings, located)].map(([message, own]) =>
    [`${word}: ${message}`, `  ${own.map(({ policy }) => policy.name).join(", ")}`, ""].join("\n"),
  );

const located = ({ location, message }: Violation) =>
  (location ? `${location.name}: ${message}` : message).replaceAll("\n", "\n      ");

function summary({ findings, objects, errors, unchecked }: Outcome): string {
  const count = (weight: Weight) => findings.filter((each) => weightOf(each) === weight).length;
  const plural = (number: number, word: string) => `${number} ${word}${number === 1 ? "" : "s"}`;
  const unknown = count("unknown");
  return [
    plural(objects, "object"),
    plural(count("error") + errors.length, "error"),
    plural(count("warning"), "warning"),
    ...(unknown === 0 ? [] : [`${unknown} not known yet`]),
    ...(unchecked.length === 0 ? [] : [`${unchecked.length} not checked`]),
  ].join(", ");
}
