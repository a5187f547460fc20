import { isAccelerator } from "../../kubernetes/values/dns-label.ts";
import type { Path, Problem } from "../errors.ts";
import { laterInProgramPods } from "./program-pods.ts";
import { joined, visitDeferred } from "./visit-deferred.ts";

/**
 * Where a value may be known only later: leaves that a plan passes through. Everything that decides which
 * objects exist, how they are named or how many pods and accelerators they need is plain.
 */

/** Parts of a spec whose leaves pass through, with the places inside them that are plain nevertheless. */
const passThrough: ReadonlyArray<{ part: RegExp; plain: readonly RegExp[] }> = [
  {
    part: /^template\.(spec\.|metadata\.(labels|annotations)\.)/,
    plain: [
      /^template\.spec\.(containers|initContainers)(\[\d+\](\.(name|ports(\[\d+\](\..*)?)?|resources(\.(limits|requests))?))?)?$/,
      /^template\.spec\.(schedulerName|priorityClassName|affinity)$/,
    ],
  },
  { part: /^httproute\./, plain: [/^httproute\.(parentRefs|rules)(\[\d+\](\.backendRefs.*)?)?$/] },
  { part: /^gateway\./, plain: [/^gateway\.type$/] },
  ...laterInProgramPods("").map((part) => ({ part, plain: [] })),
];

const accelerator =
  /^template\.spec\.(?:containers|initContainers)\[\d+\]\.resources\.(?:limits|requests)\.(.+)$/;

/** Every value of a service that is known only later and stands where a plain value is meant. */
export function deferredProblems({
  metadata,
  spec,
}: {
  metadata: unknown;
  spec: unknown;
}): Problem[] {
  const problems: Problem[] = [];
  const refuse = (path: Path) => problems.push(mustBePlain(path));
  visitDeferred(metadata, ["metadata"], refuse);
  visitDeferred(spec, [], (path) => {
    if (!mayBeDeferred(path)) refuse(path);
  });
  return problems;
}

/** A value that is known only later where a plain one is meant. */
export const mustBePlain = (path: Path): Problem => ({
  code: "unknown-value",
  path,
  given: "is an Output",
  allowed: path.includes("plugins")
    ? "a plain value, since plugins run while the pods are planned"
    : "a plain value, since it shapes which objects exist",
  fix: "Pass the value itself, from stack configuration for example.",
});

function mayBeDeferred(path: Path): boolean {
  const [roles, index, ...inRole] = path;
  if (roles !== "roles" || typeof index !== "number") return false;
  const place = joined(inRole);
  const resource = accelerator.exec(place)?.[1];
  if (resource !== undefined && isAccelerator(resource)) return false;
  return passThrough.some(
    ({ part, plain }) => part.test(place) && !plain.some((pattern) => pattern.test(place)),
  );
}
