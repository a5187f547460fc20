import { label } from "../../sdk/names.ts";
import { type CheckResult, forbidden, ok, warning } from "./check-result.ts";
import { type ClusterObject, type ClusterObservation, seenOf } from "./observation.ts";

const check = "parents-agents";

interface AgentDeployment extends ClusterObject {
  readonly spec?: {
    readonly template?: {
      readonly spec?: {
        readonly containers?: ReadonlyArray<{ readonly args?: readonly string[] }>;
      };
    };
  };
}

/** An agent watches an import and writes a route, so it has nothing to write without the import. */
export function checkParentsAgents({ ruled, imports }: ClusterObservation): CheckResult[] {
  const { deployments, routes } = ruled;
  for (const [what, seen] of [
    ["Deployments", deployments],
    ["HTTPRoutes", routes],
    ["InferencePoolImports", imports],
  ] as const)
    if (seen.state === "forbidden") return [forbidden(check, what, seen)];
  const agents = seenOf(deployments).flatMap((deployment) => {
    const imported = importOf(deployment);
    return imported === undefined ? [] : [{ name: deployment.metadata.name, imported }];
  });
  if (agents.length === 0) return [];
  const findings = agents.flatMap(({ name, imported }): CheckResult[] => {
    const at = `Deployment ${name}`;
    if (!seenOf(imports).some(({ metadata }) => metadata.name === imported))
      return [
        warning(check, {
          title: `${at}: no InferencePoolImport ${imported}`,
          seen: "the agent writes a route once the import exists; the ClusterSet controller creates the import when another cluster exports the pool",
          fix: "npx pulumi-inference clusters --context HUB -n NAMESPACE",
        }),
      ];
    if (seenOf(routes).some(({ metadata }) => metadata.labels?.[label.parentsAgent] === name))
      return [];
    return [
      warning(check, {
        title: `${at}: no HTTPRoute written`,
        seen: `InferencePoolImport ${imported} exists; the agent's log contains the reason`,
        fix: `kubectl logs deployment/${name}`,
      }),
    ];
  });
  return findings.length > 0
    ? findings
    : [ok(check, "routes to gateways of other clusters are written")];
}

/** Returns the name of the import that an agent watches; undefined for any other program. */
function importOf({ spec }: AgentDeployment): string | undefined {
  const args = (spec?.template?.spec?.containers ?? []).flatMap(({ args = [] }) => args);
  const flag = "--import=";
  return args[0] === "parents-agent"
    ? args.find((arg) => arg.startsWith(flag))?.slice(flag.length)
    : undefined;
}
