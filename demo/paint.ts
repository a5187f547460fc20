import { styleText } from "node:util";

type Style = Parameters<typeof styleText>[0];

/** Styles text for standard output, unless it is not a terminal, or NO_COLOR is set. FORCE_COLOR styles it anyway. */
export const painted = (style: Style, text: string): string =>
  styleText(style, text, { stream: process.stdout });

const statuses = { Full: "green", Partial: "yellow", Blocked: "red" } as const;

/** Styles the statuses of a capacity report. */
export const paintedStatuses = (text: string): string =>
  text.replaceAll(/\b(Full|Partial|Blocked)\b/g, (status) =>
    painted(statuses[status as keyof typeof statuses], status),
  );

/** Styles the lines of a patch. */
export const paintedPatch = (text: string): string =>
  text
    .replaceAll(/^ *- .*$/gm, (line) => painted("red", line))
    .replaceAll(/^ *\+ .*$/gm, (line) => painted("green", line));
