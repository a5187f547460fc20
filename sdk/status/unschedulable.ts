/** kube-scheduler's `0/8 nodes are available: ...` and Volcano's `0/8 nodes are unavailable: ...`, up to the full stop. */
const histogram = /\b0\/(\d+) nodes are (?:un)?available: (.+?)\.(?=\s|$)/;

/**
 * Formats a scheduler's message as `of 8 nodes, 3 lack free nvidia.com/gpu, 5 had untolerated taint(s)`; returns a message
 * of another form unchanged. A node counts once for each of its reasons.
 */
export function shortageIn(message: string): string {
  const [, total, reasons] = histogram.exec(message) ?? [];
  if (reasons === undefined) return message;
  const counted = reasons.split(/, (?=\d+ )/).map((reason) =>
    reason
      .replace(/^1 Insufficient /, "1 lacks free ")
      .replace(/^(\d+) Insufficient /, "$1 lack free ")
      .replace(/^(\d+) node\(s\) /, "$1 "),
  );
  const isCount = counted.every((reason) => /^\d+ /.test(reason));
  return isCount ? `of ${total} node${total === "1" ? "" : "s"}, ${counted.join(", ")}` : reasons;
}
