import { kinds } from "../../../kubernetes/kinds/index.ts";
import type { Manifest } from "../../../kubernetes/values/manifest.ts";
import { engineMonitorName, label, metricsPortName, pickerMonitorName } from "../../names.ts";
import type { ServiceObjectivesSpec } from "../../spec/service-objectives.ts";
import { objectMeta, type PlanContext } from "../object-meta.ts";
import type { Target } from "./target.ts";

/** File with the token of Prometheus' ServiceAccount in its pods. */
const tokenFile = "/var/run/secrets/kubernetes.io/serviceaccount/token";

/** Returns the ServiceMonitor of the picker, then the PodMonitor of a service's engines. */
export function planMonitors(
  context: PlanContext,
  target: Target,
  { kind }: ServiceObjectivesSpec["of"],
): Manifest[] {
  const picker = {
    apiVersion: kinds.ServiceMonitor.apiVersion,
    kind: "ServiceMonitor",
    metadata: objectMeta(context, pickerMonitorName(target.objectives)),
    spec: {
      selector: { matchLabels: target.owner },
      endpoints: [
        {
          port: metricsPortName,
          interval: "15s",
          bearerTokenFile: tokenFile,
          // The picker's labels endpoint, namespace and pod would otherwise be renamed.
          honorLabels: true,
        },
      ],
    },
  };
  if (kind !== "InferenceService") return [picker];
  const engines = {
    apiVersion: kinds.PodMonitor.apiVersion,
    kind: "PodMonitor",
    metadata: objectMeta(context, engineMonitorName(target.objectives)),
    spec: {
      selector: {
        matchLabels: target.owner,
        matchExpressions: [
          { key: label.componentType, operator: "In", values: ["worker", "prefiller", "decoder"] },
        ],
      },
      podMetricsEndpoints: [{ port: "http", interval: "15s" }],
    },
  };
  return [picker, engines];
}
