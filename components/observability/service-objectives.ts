import type * as pulumi from "@pulumi/pulumi";
import { planServiceObjectives } from "../../sdk/plan/observability/service-objectives.ts";
import type { ServiceObjectivesSpec } from "../../sdk/spec/service-objectives.ts";
import { serviceObjectivesSpecKind } from "../../sdk/validate/spec-kinds.ts";
import { type ReadArgs, readArgs } from "../arguments/read-args.ts";
import type { ComponentOptions } from "../child-options.ts";
import { ComponentResource as PlannedComponent } from "../component-resource.ts";
import type { ServiceObjectivesArgs } from "../generated/args.ts";
import { type NodesOf, one } from "../nodes/node-keys.ts";

const nodeKeys = {
  rules: one("PrometheusRule"),
  pickerMonitor: one("ServiceMonitor"),
  engineMonitor: one("PodMonitor"),
  dashboards: one("ConfigMap"),
} as const;

/** Resources of ServiceObjectives. */
export type ServiceObjectivesNodes = NodesOf<typeof nodeKeys>;

/**
 * Objectives of a service or pool. It creates recording rules and alerts for the Prometheus Operator, monitors with
 * which Prometheus scrapes the picker and the engines, and dashboards for Grafana. Latencies and errors of engines are only known for responses
 * that the picker follows: set `followResponses` on the router unless LLMServices register every model.
 *
 * ```ts
 * new ServiceObjectives("chat", {
 *   metadata: { namespace: "models" },
 *   of: { name: "chat" },
 *   objectives: {
 *     availability: 0.999,
 *     firstToken: { seconds: 0.6, share: 0.99 },
 *     perOutputToken: { seconds: 0.04, share: 0.99 },
 *   },
 *   alerts: { labels: { team: "games" } },
 * });
 * ```
 */
export class ServiceObjectives extends PlannedComponent<
  typeof nodeKeys,
  ReadArgs<ServiceObjectivesSpec>
> {
  static readonly __pulumiType = "inference:index:ServiceObjectives";

  /** Name of the PrometheusRule. */
  declare readonly ruleName: pulumi.Output<string>;
  /** Namespace of the objects, and of the service or pool. */
  declare readonly namespace: pulumi.Output<string>;

  /**
   * @param name logical name; also the name of the PrometheusRule unless `metadata.name` is set
   * @throws InvalidArgsError listing every problem of the arguments
   */
  constructor(
    name: string,
    args: ServiceObjectivesArgs,
    opts: ComponentOptions<typeof nodeKeys> = {},
  ) {
    super(ServiceObjectives.__pulumiType, name, opts, {
      parse: () => readArgs(serviceObjectivesSpecKind, name, args),
      plan: planServiceObjectives,
      nodeKeys,
      outputs: { ruleName: ({ args: { metadata } }) => metadata.name },
    });
  }
}
