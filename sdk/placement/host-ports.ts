import { isMap } from "../../kubernetes/values/records.ts";
import type { PlacedSpec } from "./node-fit.ts";

const known = new WeakMap<PlacedSpec, readonly string[]>();

/** Returns the ports of the node that a pod takes, such as `8000/TCP`. Two pods with one of them need two nodes. */
export function hostPortsOf(spec: PlacedSpec): readonly string[] {
  const before = known.get(spec);
  if (before !== undefined) return before;
  const sidecars = (spec.initContainers ?? []).filter(
    ({ restartPolicy }) => restartPolicy === "Always",
  );
  const ports = [...spec.containers, ...sidecars].flatMap(({ ports = [] }) =>
    ports.flatMap((port) => portOf(port, spec)),
  );
  const found = [...new Set(ports)];
  known.set(spec, found);
  return found;
}

/** With hostNetwork, the API server sets the host port of each container port. */
function portOf(port: unknown, { hostNetwork }: PlacedSpec): string[] {
  if (!isMap(port)) return [];
  const number = port.hostPort ?? (hostNetwork === true ? port.containerPort : undefined);
  return typeof number === "number" && number > 0 ? [`${number}/${port.protocol ?? "TCP"}`] : [];
}
