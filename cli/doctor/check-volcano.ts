import { parse } from "yaml";
import { installVolcano } from "./check-crds.ts";
import { type CheckResult, error, forbidden, ok, unknown, warning } from "./check-result.ts";
import { isAtLeast, versionOfImage } from "./image-version.ts";
import type { ClusterObservation, Deployment, Seen } from "./observation.ts";

/** The first release that schedules sub-groups without a hard network topology. */
export const oldestVolcano = [1, 14, 1] as const;

export function checkVolcano(observation: ClusterObservation): CheckResult[] {
  return [
    ...checkComponent("scheduler", observation.volcanoSchedulers),
    ...checkComponent("controllers", observation.volcanoControllers),
    checkQueue(observation.defaultQueue),
    ...checkConfig(observation.volcanoConfig),
  ];
}

/** Labels of Volcano's Deployments, in its chart and in its plain manifests. */
export const volcanoLabels = {
  scheduler: "app=volcano-scheduler",
  controllers: "app=volcano-controller",
} as const;

function checkComponent(
  component: keyof typeof volcanoLabels,
  seen: Seen<readonly Deployment[]>,
): CheckResult[] {
  const check = `volcano-${component}`;
  const what = `Volcano's ${component}`;
  if (seen.state === "forbidden") return [forbidden(check, what, seen)];
  if (seen.state === "absent" || seen.value.length === 0) {
    return [
      error(check, {
        title: `${what} not found`,
        seen: `no Deployment has the label ${volcanoLabels[component]}; pods in a gang stay Pending`,
        fix: installVolcano,
      }),
    ];
  }
  return seen.value.flatMap((deployment) => [
    ...unavailable(check, what, deployment),
    checkVersion(check, what, deployment),
  ]);
}

function unavailable(
  check: string,
  what: string,
  { metadata, spec, status }: Deployment,
): CheckResult[] {
  if ((status?.availableReplicas ?? 0) > 0) return [];
  const location = `-n ${metadata.namespace} deployment/${metadata.name}`;
  return [
    error(check, {
      title: `${what} does not run`,
      seen: `none of ${spec.replicas ?? 1} replicas of ${metadata.namespace}/${metadata.name} is available`,
      fix:
        spec.replicas === 0
          ? `kubectl scale ${location} --replicas 1`
          : `kubectl describe ${location}`,
    }),
  ];
}

function checkVersion(check: string, what: string, { metadata, spec }: Deployment): CheckResult {
  const image = spec.template.spec.containers[0]?.image ?? "";
  const version = versionOfImage(image);
  if (version === undefined) {
    return unknown(`${check}-version`, {
      title: `the version of ${what} is unknown`,
      seen: `image ${image} has no release tag; gangs need ${oldestVolcano.join(".")} or later`,
      fix: `kubectl logs -n ${metadata.namespace} deployment/${metadata.name} | grep -i version`,
    });
  }
  const text = version.numbers.join(".");
  if (isAtLeast(version, oldestVolcano)) {
    return ok(`${check}-version`, `${what}: ${text}`);
  }
  return error(`${check}-version`, {
    title: `${what}: ${text} is older than ${oldestVolcano.join(".")}`,
    seen: `${image}; it does not start gangs of sub-groups (gang layout subGroup)`,
    fix: installVolcano,
  });
}

function checkQueue(seen: ClusterObservation["defaultQueue"]): CheckResult {
  const check = "volcano-default-queue";
  if (seen.state === "forbidden") return forbidden(check, "Volcano's default queue", seen);
  const state = seen.state === "seen" ? seen.value.status?.state : undefined;
  if (state === "Open") return ok(check, "Volcano's default queue is open");
  if (seen.state === "absent") {
    return error(check, {
      title: "Volcano's default queue is missing",
      seen: "PodGroups without a queue use it; Volcano's scheduler creates it when it starts",
      fix: `kubectl rollout restart deployment -n volcano-system -l ${volcanoLabels.scheduler}`,
    });
  }
  return error(check, {
    title: "Volcano's default queue is not open",
    seen: `its state is ${state ?? "not set (Volcano's controllers set it)"}; nothing in it is scheduled`,
    fix:
      state === undefined
        ? `kubectl rollout restart deployment -n volcano-system -l ${volcanoLabels.controllers}`
        : "vcctl queue operate --action open --name default",
  });
}

interface SchedulerConfig {
  tiers?: Array<{
    plugins?: Array<{ name?: string; arguments?: Record<string, unknown> }>;
  }>;
}

function checkConfig(seen: ClusterObservation["volcanoConfig"]): CheckResult[] {
  const check = "volcano-binpack";
  if (seen.state === "forbidden")
    return [forbidden(check, "the configuration of Volcano's scheduler", seen)];
  // Without Volcano there is no configuration, and its absence is a separate finding.
  if (seen.state === "absent") return [];
  const config = read(seen.value);
  if (config === undefined) {
    return [
      unknown(check, {
        title: "the configuration of Volcano's scheduler cannot be parsed",
        seen: "it is not a YAML map with tiers",
        fix: "kubectl get configmap -A | grep volcano-scheduler",
      }),
    ];
  }
  return [checkGang(config), checkBinpack(check, config)];
}

function read(text: string): SchedulerConfig | undefined {
  try {
    const config = parse(text) as SchedulerConfig | null;
    return Array.isArray(config?.tiers) ? config : undefined;
  } catch {
    return undefined;
  }
}

const pluginsOf = ({ tiers = [] }: SchedulerConfig) => tiers.flatMap(({ plugins = [] }) => plugins);

function checkGang(config: SchedulerConfig): CheckResult {
  const check = "volcano-gang";
  if (pluginsOf(config).some(({ name }) => name === "gang")) {
    return ok(check, "Volcano's gang plugin is on");
  }
  return error(check, {
    title: "Volcano's gang plugin is off",
    seen: "the scheduler's configuration does not list it; pods of a gang start one by one",
    fix: `add "- name: gang" to the first tier of ${configMap}`,
  });
}

function checkBinpack(check: string, config: SchedulerConfig): CheckResult {
  const binpack = pluginsOf(config).find(({ name }) => name === "binpack");
  if (binpack !== undefined && scoresGpus(binpack.arguments ?? {})) {
    return ok(check, "Volcano's binpack scores nvidia.com/gpu");
  }
  return warning(check, {
    title: "Volcano's binpack does not score nvidia.com/gpu",
    seen: `${binpack === undefined ? "the plugin is off" : "it scores cpu and memory only"}; a gang whose roles have different GPU counts per pod may not start although it fits (see capacity --binpack)`,
    fix: `give binpack in ${configMap} the arguments {binpack.weight: 10, binpack.resources: nvidia.com/gpu}`,
  });
}

const configMap =
  "ConfigMap volcano-scheduler-configmap (Helm value custom.scheduler_config_override)";

/** Parses as Volcano does: names are a list in one string, weights default to 1, and 0 disables them. */
function scoresGpus(settings: Record<string, unknown>): boolean {
  const names = String(settings["binpack.resources"] ?? "").split(",");
  return (
    names.some((name) => name.trim() === "nvidia.com/gpu") &&
    Number(settings["binpack.weight"] ?? 1) !== 0 &&
    Number(settings["binpack.resources.nvidia.com/gpu"] ?? 1) !== 0
  );
}
