import { parse } from "yaml";
import { type CheckResult, error, forbidden, ok, unknown } from "./check-result.ts";
import { type ClusterObservation, seenOf } from "./observation.ts";

/** The LeaderWorkerSet manager, its gang provider, and other controllers of LeaderWorkerSets. */
export function checkLws(observation: ClusterObservation): CheckResult[] {
  return [
    checkManager(observation.lwsManagers),
    checkGangProvider(observation.lwsConfig),
    ...checkKthena(observation),
  ];
}

function checkManager(seen: ClusterObservation["lwsManagers"]): CheckResult {
  const check = "lws-manager";
  if (seen.state === "forbidden") return forbidden(check, "the LeaderWorkerSet manager", seen);
  const managers = seenOf(seen);
  const [manager] = managers;
  if (manager === undefined) {
    return error(check, {
      title: "the LeaderWorkerSet manager was not found",
      seen: "no Deployment of the manager in the namespace of its webhooks or in lws-system; LeaderWorkerSets get no pods",
      fix: "kubectl get deployments -A -l control-plane=controller-manager",
    });
  }
  if (managers.some(({ status }) => (status?.availableReplicas ?? 0) > 0)) {
    return ok(check, "the LeaderWorkerSet manager runs");
  }
  const { namespace, name } = manager.metadata;
  return error(check, {
    title: "the LeaderWorkerSet manager does not run",
    seen: `no replica of ${namespace}/${name} is available; LeaderWorkerSets get no pods`,
    fix:
      manager.spec.replicas === 0
        ? `kubectl scale -n ${namespace} deployment/${name} --replicas 1`
        : `kubectl describe -n ${namespace} deployment/${name}`,
  });
}

function checkGangProvider(seen: ClusterObservation["lwsConfig"]): CheckResult {
  const check = "lws-gang-provider";
  const off = ok(check, "the gang provider of LeaderWorkerSet is off");
  if (seen.state === "forbidden") {
    return forbidden(check, "the configuration of the LeaderWorkerSet manager", seen);
  }
  if (seen.state === "absent") return off;
  const config = read(seen.value);
  if (config === undefined) {
    return unknown(check, {
      title: "the configuration of the LeaderWorkerSet manager cannot be parsed",
      seen: "it is not a YAML map",
      fix: "kubectl get configmap -n lws-system lws-manager-config -o yaml",
    });
  }
  const provider = config.gangSchedulingManagement?.schedulerProvider;
  if (provider === undefined || provider === "") return off;
  return error(check, {
    title: "the gang provider of LeaderWorkerSet is on",
    seen: `gangSchedulingManagement.schedulerProvider is ${provider}: its webhook gives every group a separate PodGroup, so prefill and decode no longer start together in the service's PodGroup`,
    fix: "remove gangSchedulingManagement from ConfigMap lws-manager-config (Helm value gangSchedulingManagement) and restart the manager",
  });
}

interface ManagerConfig {
  gangSchedulingManagement?: { schedulerProvider?: string } | null;
}

function read(text: string): ManagerConfig | undefined {
  try {
    const config: unknown = parse(text);
    return typeof config === "object" && config !== null ? (config as ManagerConfig) : undefined;
  } catch {
    return undefined;
  }
}

/** Kthena's controller acts on LeaderWorkerSets once their CRD exists. */
function checkKthena({ kthenaManagers, lwsManagers }: ClusterObservation): CheckResult[] {
  const check = "lws-second-controller";
  if (kthenaManagers.state === "forbidden")
    return [forbidden(check, "Kthena's controller", kthenaManagers)];
  const kthena = kthenaManagers.state === "seen" ? kthenaManagers.value[0] : undefined;
  const lws = lwsManagers.state === "seen" ? lwsManagers.value[0] : undefined;
  if (kthena === undefined || lws === undefined) {
    return [ok(check, "LeaderWorkerSets have one controller")];
  }
  const { namespace, name } = kthena.metadata;
  return [
    error(check, {
      title: "LeaderWorkerSets have two controllers",
      seen: `Kthena's ${namespace}/${name} and the LeaderWorkerSet manager ${lws.metadata.namespace}/${lws.metadata.name} both act on them: each creates its own pods`,
      fix: `kubectl scale -n ${namespace} deployment/${name} --replicas 0`,
    }),
  ];
}
