import { engines, serverOf } from "../../engines/index.ts";
import type { ServiceShape } from "../../stack/shapes.ts";
import { specsOf, type TypedObject } from "../../stack/stack-object.ts";
import { engineOfPods } from "../../stack/workloads.ts";
import { eachPodTemplate, rulesOfPack, type StackRule } from "../helpers/stack-rule.ts";

const { stackRule } = rulesOfPack("inference-gpu");

/** Returns the variable that the kubelet sets to `tcp://ADDRESS:PORT` in every pod of the Service's namespace. */
const linkOf = ({ name }: TypedObject<ServiceShape>): string =>
  `${name.toUpperCase().replaceAll("-", "_")}_PORT`;

/** A Service without an address of the cluster sets no variables. */
const hasAddress = ({ spec }: TypedObject<ServiceShape>): boolean =>
  spec.clusterIP !== "None" && spec.type !== "ExternalName" && (spec.ports ?? []).length > 0;

const servicesSetNoPort = stackRule(
  { id: "services-set-no-variable-of-an-engine", code: "conflict", level: "advisory" },
  {
    title: "No Service of the namespace sets a port variable of an engine",
    why: "The kubelet sets NAME_PORT to tcp://ADDRESS:PORT in all pods of the Service's namespace. An engine that reads a variable of this name expects a number, and does not start.",
    source: "k8s.io/kubernetes, enableServiceLinks; vLLM, envs.py: VLLM_PORT appears to be a URI",
    fix: "Set enableServiceLinks: false in the pod template, or give the Service another name.",
  },
  eachPodTemplate,
  function* (pods, { stack }) {
    if (pods.spec.enableServiceLinks === false) return;
    const engine = engineOfPods(pods);
    const name = engine && serverOf(engine.container).engine;
    const releases = name && engines[name].releases;
    if (releases === undefined) return;
    const { container } = engine as NonNullable<typeof engine>;
    const { names } = releases.of(container.image) ?? releases.all[0];
    const own = new Set((container.env ?? []).map((entry) => entry.name));
    for (const service of specsOf<ServiceShape>(stack, "/Service")) {
      if (service.namespace !== pods.workload.namespace || !hasAddress(service)) continue;
      const variable = linkOf(service);
      if (!names.variables.has(variable) || own.has(variable)) continue;
      yield {
        path: [...pods.path, "spec", "enableServiceLinks"],
        given: `lets Service ${service.name} set ${variable} to tcp://ADDRESS:PORT, which ${engines[name as keyof typeof engines].title} reads as a number`,
        allowed: "false, or Services of other names",
        fix: "Set enableServiceLinks to false.",
      };
    }
  },
);

export const serviceLinkRules: readonly StackRule[] = [servicesSetNoPort];
